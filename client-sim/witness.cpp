// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/witness.h"

#include <utility>

#include "world/command.h"

namespace vicinity::sim {
namespace {

constexpr ObserverId whole_observer{1};
/// So many round trips give a fast one even while the server is busy.
constexpr std::uint32_t first_pongs = 8;

}  // namespace

Witness::Witness(boost::asio::io_context& io, ClockMap& clock, TruthCheck* check, bool in_parts,
                 ShapeOf shape_of, Events events)
    : clock_(clock),
      check_(check),
      in_parts_(in_parts),
      shape_of_(std::move(shape_of)),
      events_(std::move(events)),
      connection_(io, handlers()) {}

client::Handlers Witness::handlers() {
  client::Handlers out;
  out.on_welcome = [this](const auto& welcome) { on_welcome(welcome); };
  out.on_frame = [this](const auto& frame) { on_frame(frame); };
  out.on_command = [this](const auto& outcome) { on_command(outcome); };
  out.on_pong = [this](const auto& pong) { on_pong(pong); };
  out.on_closed = [this](const Error& error) { events_.on_lost(error); };
  return out;
}

void Witness::connect(client::ConnectOptions options) {
  // Of all roles the one without a byte budget: what it is not told is no truth.
  options.role = Role::Authority;
  options.contacts = ContactScope::None;
  options.client_name = "vicinity-bots witness";
  connection_.connect(options);
}

void Witness::on_welcome(const client::Welcome& welcome) {
  welcome_ = welcome;
  if (welcome.manual_ticks) {
    events_.on_lost({ErrorCode::WrongTickMode,
                     "the server is in manual tick mode, where nothing moves unless an authority "
                     "asks for it; start it with --tick-mode timer"});
    return;
  }
  connection_.ping();
  if (check_ == nullptr) return;
  check_->set_precision(Precision(welcome.position_resolution_m));
  sees_world_ = in_parts_;
  if (in_parts_) return;
  views_.emplace_back(whole_observer);
  // A sphere of twice the half size reaches every corner (sqrt 3 times the half size away).
  AreaSpec spec;
  spec.enter_radius_m = 2 * welcome.world_half_size_m;
  spec.leave_radius_m = spec.enter_radius_m;
  connection_.send({AddAreaCommand{whole_observer, AreaId{1}, spec}});
}

void Witness::follow(std::uint32_t bot, EntityId entity, double radius_m) {
  if (!in_parts_) return;
  AreaSpec spec;
  spec.anchor = {entity, 0};
  spec.include_anchor = true;
  spec.enter_radius_m = spec.leave_radius_m = radius_m;
  const auto [known, is_new] = parts_.try_emplace(bot);
  Part& part = known->second;
  if (is_new) {
    part.number = static_cast<std::uint32_t>(parts_.size());
    views_.emplace_back(ObserverId{part.number}, true);
  }
  const AreaId area{part.number};
  if (part.is_made)
    part.sequence = connection_.send({ChangeAreaCommand{area, spec}});
  else
    part.sequence = connection_.send({AddAreaCommand{ObserverId{part.number}, area, spec}});
}

/// An entity that is gone already cannot be followed: its bot has ended, or gets another one.
void Witness::on_followed(const client::CommandOutcome& outcome) {
  for (auto part = parts_.begin(); part != parts_.end(); ++part) {
    if (part->second.sequence != outcome.sequence) continue;
    if (outcome.error.code != ErrorCode::None) return;
    part->second.is_made = true;
    check_->compare_from(part->first, outcome.tick);
    return;
  }
}

void Witness::on_command(const client::CommandOutcome& outcome) {
  if (in_parts_) return on_followed(outcome);
  if (outcome.error.code != ErrorCode::None) {
    events_.on_lost({outcome.error.code, "the witness got no area: " + outcome.error.text});
    return;
  }
  // The frame of the same tick follows; it is the first that counts.
  sees_world_ = true;
}

std::uint64_t Witness::entity_count() const {
  std::uint64_t count = 0;
  for (const View& view : views_) count += view.seen().size();
  return count;
}

void Witness::on_frame(const client::TickFrame& frame) {
  if (frame.tick <= tick_) ++violation_count_;
  tick_ = frame.tick;
  if (check_ == nullptr) return check_ready();
  for (View& view : views_) violation_count_ += view.apply(frame).count();
  if (!sees_world_) return;
  // What it does not know in full is no truth: for the check such a tick is a gap.
  const bool is_complete =
      frame.enters_waiting == 0 && !frame.events_only && frame.health == client::StreamHealth::Ok;
  if (is_complete) {
    TruthTick truth = check_->recycled();
    make_truth(frame.tick, frame.server_time_us, views_, shape_of_, truth);
    check_->add_truth(std::move(truth));
  }
  if (is_complete) check_ready();
}

void Witness::on_pong(const client::PongInfo& pong) {
  clock_.add_pong(local_time_us(), pong.round_trip_us, pong.server_time_us);
  if (++pong_count_ < first_pongs) connection_.ping();
  check_ready();
}

void Witness::check_ready() {
  if (ready_ || pong_count_ < first_pongs || tick_ == 0) return;
  if (check_ != nullptr && !sees_world_) return;
  ready_ = true;
  events_.on_ready();
}

}  // namespace vicinity::sim
