// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/uring_loop.h"

#include <liburing.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/check.h"

namespace vicinity::net {
namespace {

constexpr unsigned request_count = 1024;
constexpr unsigned completion_count = 8192;
/// What is received goes to buffers that all connections of the thread share, so that none holds
/// memory while it is silent. Most client frames fit into one.
constexpr unsigned buffer_count = 256;
constexpr std::size_t buffer_bytes = 4096;
constexpr unsigned short buffer_group = 0;
static_assert((buffer_count & (buffer_count - 1)) == 0, "the kernel wants a power of two");

/// Waiting for several completions at once saves system calls; it may delay one of them this long.
/// (7.7 instead of 9.1 us per frame and command at 2000 clients, 2026-11-30, 2-core virtual
/// machine.)
constexpr std::chrono::microseconds batch_time(1000);
constexpr unsigned batch_count_max = 64;
/// The rate is measured over at least so long; below so many per batch_time nobody waits.
constexpr std::chrono::microseconds rate_time(4000);
constexpr double batch_count_min = 4;
/// The longest wait, so that moments far away do not overflow.
constexpr std::chrono::minutes wait_max(1);

/// In the user data of requests that give a slot back: (slot << 1) + 1. Else it is the address of
/// an UringOperation, which is even, or 0.
constexpr std::uint64_t slot_tag = 1;
static_assert(alignof(UringOperation) > slot_tag);

/// Names the socket of a request that was prepared with its descriptor.
void set_file(io_uring_sqe& request, const UringFile& file) {
  if (file.slot < 0) return;
  request.fd = file.slot;
  request.flags |= IOSQE_FIXED_FILE;
}

std::string reason(int error) { return std::system_category().message(error); }

Error unavailable(const std::string& what, int error) {
  return {ErrorCode::Internal, "io_uring is not to be had: " + what + ": " + reason(error)};
}

}  // namespace

void UringLoop::RingCloser::operator()(io_uring* ring) const {
  io_uring_queue_exit(ring);
  delete ring;
}

void UringLoop::Freer::operator()(io_uring_buf_ring* memory) const { std::free(memory); }

// --- Setting up ------------------------------------------------------------------------------

UringLoop::UringLoop() : rate_since_(Clock::now()) {
  wake_.completed = [this](int, std::span<const std::uint8_t>) { read_wakes(); };
}

UringLoop::~UringLoop() {
  ring_.reset();
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

Result<std::unique_ptr<UringLoop>, Error> UringLoop::make(std::uint32_t file_count_max) {
  std::unique_ptr<UringLoop> loop(new UringLoop());
  Error error = loop->set_up(file_count_max);
  if (error.code != ErrorCode::None) return error;
  return loop;
}

Error UringLoop::set_up(std::uint32_t file_count_max) {
  wake_fd_ = ::eventfd(0, EFD_CLOEXEC);
  if (wake_fd_ < 0) return unavailable("eventfd", errno);
  io_uring_params params{};
  // The ring belongs to the thread that enables it, in run().
  params.flags = IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                 IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE;
  params.cq_entries = completion_count;
  auto ring = std::make_unique<io_uring>();
  const int result = io_uring_queue_init_params(request_count, ring.get(), &params);
  if (result == -EINVAL) return unavailable("the kernel is older than 6.1", EINVAL);
  if (result < 0) return unavailable("io_uring_setup", -result);
  ring_.reset(ring.release());
  set_up_files(file_count_max);
  return set_up_buffers();
}

/// Without them everything works as well, with a look-up more per request.
void UringLoop::set_up_files(std::uint32_t count_max) {
  rlimit descriptors{};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return;
  const auto count = static_cast<unsigned>(std::min<rlim_t>(count_max, descriptors.rlim_cur));
  if (count == 0 || io_uring_register_files_sparse(ring_.get(), count) < 0) return;
  registered_.resize(count);
  free_slots_.resize(count);
  std::iota(free_slots_.rbegin(), free_slots_.rend(), 0u);
}

Error UringLoop::set_up_buffers() {
  constexpr std::size_t page_bytes = 4096;
  static_assert(buffer_count * sizeof(io_uring_buf) % page_bytes == 0);
  void* memory = std::aligned_alloc(page_bytes, buffer_count * sizeof(io_uring_buf));
  CHECK(memory != nullptr);
  buffers_.reset(static_cast<io_uring_buf_ring*>(memory));
  io_uring_buf_ring_init(buffers_.get());
  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<std::uint64_t>(memory);
  registration.ring_entries = buffer_count;
  registration.bgid = buffer_group;
  const int result = io_uring_register_buf_ring(ring_.get(), &registration, 0);
  if (result < 0) return unavailable("io_uring_register", -result);
  buffer_memory_.resize(buffer_count * buffer_bytes);
  for (unsigned id = 0; id < buffer_count; ++id) give_buffer(id);
  return {};
}

std::span<std::uint8_t> UringLoop::buffer(unsigned id) {
  CHECK(id < buffer_count);
  return {buffer_memory_.data() + id * buffer_bytes, buffer_bytes};
}

void UringLoop::give_buffer(unsigned id) {
  io_uring_buf_ring_add(buffers_.get(), buffer(id).data(), buffer_bytes,
                        static_cast<unsigned short>(id), io_uring_buf_ring_mask(buffer_count), 0);
  io_uring_buf_ring_advance(buffers_.get(), 1);
}

// --- Any thread ------------------------------------------------------------------------------

void UringLoop::wake() {
  // The net thread looks into its inbox before it waits.
  if (thread_ == std::this_thread::get_id()) return;
  const std::uint64_t one = 1;
  const auto written = ::write(wake_fd_, &one, sizeof one);
  DCHECK(written == sizeof one);
  (void)written;
}

void UringLoop::quit() {
  post([this] { quitting_ = true; });
}

// --- Requests --------------------------------------------------------------------------------

io_uring_sqe& UringLoop::next_request() {
  io_uring_sqe* request = io_uring_get_sqe(ring_.get());
  if (request == nullptr) {
    io_uring_submit(ring_.get());
    request = io_uring_get_sqe(ring_.get());
  }
  CHECK(request != nullptr);
  return *request;
}

void UringLoop::begin(io_uring_sqe& request, UringOperation& operation,
                      std::shared_ptr<void> owner) {
  DCHECK(!operation.pending);
  operation.pending = true;
  operation.owner = std::move(owner);
  io_uring_sqe_set_data(&request, &operation);
  ++pending_count_;
}

void UringLoop::begin_unheeded(io_uring_sqe& request) {
  io_uring_sqe_set_data(&request, nullptr);
  ++pending_count_;
}

void UringLoop::accept(int listener, UringOperation& operation) {
  io_uring_sqe& request = next_request();
  io_uring_prep_multishot_accept(&request, listener, nullptr, nullptr, SOCK_CLOEXEC);
  begin(request, operation, nullptr);
}

UringFile UringLoop::add_file(int descriptor) {
  if (free_slots_.empty()) return {descriptor, -1};
  const unsigned slot = free_slots_.back();
  free_slots_.pop_back();
  registered_[slot] = descriptor;
  io_uring_sqe& request = next_request();
  io_uring_prep_files_update(&request, &registered_[slot], 1, static_cast<int>(slot));
  begin_unheeded(request);  // where it fails, so does the first request for the socket
  return {descriptor, static_cast<int>(slot)};
}

void UringLoop::receive(const UringFile& socket, UringOperation& operation,
                        std::shared_ptr<void> owner) {
  io_uring_sqe& request = next_request();
  io_uring_prep_recv_multishot(&request, socket.descriptor, nullptr, 0, 0);
  set_file(request, socket);
  request.flags |= IOSQE_BUFFER_SELECT;
  request.buf_group = buffer_group;
  begin(request, operation, std::move(owner));
}

void UringLoop::send(const UringFile& socket, const msghdr& message, UringOperation& operation,
                     std::shared_ptr<void> owner) {
  io_uring_sqe& request = next_request();
  if (message.msg_iovlen == 1) {
    const iovec& only = *message.msg_iov;
    io_uring_prep_send(&request, socket.descriptor, only.iov_base, only.iov_len, MSG_NOSIGNAL);
  } else {
    io_uring_prep_sendmsg(&request, socket.descriptor, &message, MSG_NOSIGNAL);
  }
  set_file(request, socket);
  begin(request, operation, std::move(owner));
}

void UringLoop::cancel(UringOperation& operation) {
  io_uring_sqe& request = next_request();
  io_uring_prep_cancel(&request, &operation, 0);
  begin_unheeded(request);
}

void UringLoop::close(const UringFile& file) {
  if (file.slot >= 0) {
    io_uring_sqe& request = next_request();
    io_uring_prep_close_direct(&request, static_cast<unsigned>(file.slot));
    io_uring_sqe_set_data64(&request, static_cast<std::uint64_t>(file.slot) << 1 | slot_tag);
    ++pending_count_;
  }
  io_uring_sqe& request = next_request();
  io_uring_prep_close(&request, file.descriptor);
  begin_unheeded(request);
}

void UringLoop::read_wakes() {
  io_uring_sqe& request = next_request();
  io_uring_prep_read(&request, wake_fd_, &wakes_, sizeof wakes_, 0);
  io_uring_sqe_set_data(&request, &wake_);
  wake_.pending = true;
}

// --- The net thread --------------------------------------------------------------------------

void UringLoop::run() {
  thread_ = std::this_thread::get_id();
  // liburing 2.3 declares io_uring_enable_rings() but its shared library does not export it.
  const int enabled = io_uring_register(static_cast<unsigned>(ring_->ring_fd),
                                        IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
  CHECK(enabled >= 0);
  (void)io_uring_register_ring_fd(ring_.get());  // saves a look-up per call; fails harmlessly
  read_wakes();
  while (true) {
    const TimePoint next = run_turn();
    if (quitting_ && pending_count_ == 0) break;
    submit_and_wait(next);
    completion_count_ += complete_all();
  }
  (void)io_uring_unregister_ring_fd(ring_.get());  // it is this thread's
  thread_ = std::thread::id();
}

unsigned UringLoop::completions_to_wait_for(TimePoint now) {
  const auto elapsed = now - rate_since_;
  if (elapsed >= rate_time) {
    const double elapsed_ms = std::chrono::duration<double, std::milli>(elapsed).count();
    completions_per_ms_ = static_cast<double>(completion_count_) / elapsed_ms;
    completion_count_ = 0;
    rate_since_ = now;
  }
  constexpr double batch_ms = std::chrono::duration<double, std::milli>(batch_time).count();
  const double expected = completions_per_ms_ * batch_ms;
  if (expected < batch_count_min) return 1;
  return expected < batch_count_max ? static_cast<unsigned>(expected) : batch_count_max;
}

void UringLoop::submit_and_wait(TimePoint next) {
  const TimePoint now = Clock::now();
  unsigned wanted = 1;
  TimePoint::duration limit(0);
  if (next > now) {
    wanted = completions_to_wait_for(now);
    limit =
        std::min<TimePoint::duration>(next == TimePoint::max() ? wait_max : next - now, wait_max);
    if (wanted > 1) limit = std::min<TimePoint::duration>(limit, batch_time);
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  __kernel_timespec time{};
  time.tv_sec = seconds.count();
  time.tv_nsec = std::chrono::nanoseconds(limit - seconds).count();
  io_uring_cqe* first = nullptr;
  // Whatever it returns (a signal, the time, completions that overflowed): the loop looks and
  // comes back. Never a sleep and then a look: the kernel would deliver only a few at a time.
  (void)io_uring_submit_and_wait_timeout(ring_.get(), &first, wanted, &time, nullptr);
}

unsigned UringLoop::complete_all() {
  unsigned count = 0;
  unsigned head = 0;
  io_uring_cqe* completion = nullptr;
  io_uring_for_each_cqe(ring_.get(), head, completion) {
    ++count;
    complete(completion->user_data, completion->res, completion->flags);
  }
  io_uring_cq_advance(ring_.get(), count);
  return count;
}

void UringLoop::complete(std::uint64_t user_data, int result, unsigned flags) {
  if ((user_data & slot_tag) != 0) {  // all requests for the file that had it have begun
    --pending_count_;
    return free_slots_.push_back(static_cast<unsigned>(user_data >> 1));
  }
  auto* operation = reinterpret_cast<UringOperation*>(user_data);
  const bool last = (flags & IORING_CQE_F_MORE) == 0;
  if (last && operation != &wake_) {
    DCHECK(pending_count_ > 0);
    --pending_count_;
  }
  if (operation == nullptr) return;
  std::shared_ptr<void> owner;  // until the call is over
  if (last) {
    operation->pending = false;
    owner.swap(operation->owner);
  }
  if ((flags & IORING_CQE_F_BUFFER) == 0) return operation->completed(result, {});
  const unsigned id = flags >> IORING_CQE_BUFFER_SHIFT;
  const auto size = static_cast<std::size_t>(std::max(result, 0));
  operation->completed(result, buffer(id).first(size));
  give_buffer(id);
}

}  // namespace vicinity::net
