// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// People who were recorded walking. Two recordings, played over and over by many copies that stand
// side by side and begin at different frames. Millimetres are taken as units, which makes people a
// little smaller and changes nothing else.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/check.h"
#include "bench/scene.h"

namespace vicinity::bench {
namespace {

constexpr Units half_size = 200;

struct Person {
  std::uint32_t place = 0;  ///< slot within its copy
  Units x = 0;
  Units z = 0;
};

struct Recording {
  std::vector<std::vector<Person>> frames;
  std::uint32_t place_count = 0;
  Units min_x = 0, max_x = 0, min_z = 0, max_z = 0;
  std::size_t person_count = 0;  ///< all frames together

  std::size_t mean_persons() const { return person_count / frames.size(); }
};

/// Gives people places; one that became free is used again ten frames later, the lowest first.
class Places {
 public:
  std::uint32_t place_of(long person, long frame) {
    const auto known = place_of_.find(person);
    if (known != place_of_.end() && last_seen_[known->second] + 1 >= frame) {
      last_seen_[known->second] = frame;
      return known->second;
    }
    constexpr long rest_frames = 10;
    const auto free =
        std::ranges::find_if(last_seen_, [&](long seen) { return seen + rest_frames < frame; });
    const auto place = static_cast<std::uint32_t>(free - last_seen_.begin());
    if (free == last_seen_.end()) last_seen_.push_back(0);
    last_seen_[place] = frame;
    place_of_[person] = place;
    return place;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(last_seen_.size()); }

 private:
  std::map<long, std::uint32_t> place_of_;
  std::vector<long> last_seen_;
};

/// Lines `frame,id,x,y` in millimetres, by frame. Empty when the file is not there.
Recording read_recording(const std::filesystem::path& path) {
  Recording recording;
  Places places;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  long first_frame = -1;
  long frame = 0, person = 0, x = 0, z = 0;
  while (std::getline(file, line)) {
    CHECK(std::sscanf(line.c_str(), "%ld,%ld,%ld,%ld", &frame, &person, &x, &z) == 4);
    if (first_frame < 0) {
      first_frame = frame;
      recording.min_x = recording.max_x = x;
      recording.min_z = recording.max_z = z;
    }
    CHECK(frame - first_frame + 1 >= static_cast<long>(recording.frames.size()));
    recording.frames.resize(static_cast<std::size_t>(frame - first_frame + 1));
    recording.frames.back().push_back({places.place_of(person, frame), x, z});
    recording.min_x = std::min(recording.min_x, Units{x});
    recording.max_x = std::max(recording.max_x, Units{x});
    recording.min_z = std::min(recording.min_z, Units{z});
    recording.max_z = std::max(recording.max_z, Units{z});
    ++recording.person_count;
  }
  recording.place_count = places.count();
  return recording;
}

struct Copy {
  const Recording* recording = nullptr;
  std::uint32_t first_slot = 0;
  std::size_t frame = 0;
  Units shift_x = 0;
  Units shift_z = 0;
};

class RecordedScene : public Scene {
 public:
  RecordedScene(std::vector<Recording> recordings, std::vector<Copy> copies,
                std::uint32_t slot_count, Units side)
      : Scene(slot_count), recordings_(std::move(recordings)), copies_(std::move(copies)) {
    set_extent({-2 * half_size, -metre, -2 * half_size}, {side, metre, side});
  }

 private:
  void advance() override {
    for (Copy& copy : copies_) {
      present_.assign(copy.recording->place_count, 0);
      for (const Person& person : copy.recording->frames[copy.frame]) {
        const Units x = person.x + copy.shift_x;
        const Units z = person.z + copy.shift_z;
        present_[person.place] = 1;
        place(copy.first_slot + person.place, {x - half_size, -metre, z - half_size},
              {x + half_size, metre, z + half_size});
      }
      for (std::uint32_t i = 0; i < present_.size(); ++i)
        if (present_[i] == 0 && is_alive(copy.first_slot + i)) remove(copy.first_slot + i);
      copy.frame = (copy.frame + 1) % copy.recording->frames.size();
    }
  }

  std::vector<Recording> recordings_;  // copies point into it
  std::vector<Copy> copies_;
  std::vector<std::uint8_t> present_;
};

}  // namespace

std::string recordings_folder() {
  if (const char* named = std::getenv("SHARED_DATA_DIR")) return named;
  return (std::filesystem::path(VICINITY_SOURCE_DIR) / ".." / "shared" / "data")
      .lexically_normal()
      .string();
}

std::unique_ptr<Scene> make_recorded_scene(std::uint32_t count) {
  const std::filesystem::path folder = recordings_folder();
  std::vector<Recording> recordings;
  Units pitch = 0;  // of the grid of copies
  for (const char* name : {"crowd_bidirectional_mm.csv", "crowd_bottleneck_mm.csv"}) {
    recordings.push_back(read_recording(folder / name));
    const Recording& recording = recordings.back();
    if (recording.frames.empty()) return nullptr;
    pitch = std::max({pitch, recording.max_x - recording.min_x + 4 * half_size,
                      recording.max_z - recording.min_z + 4 * half_size});
  }
  std::vector<Copy> copies;
  std::uint32_t slots = 0;
  Units columns = 1;
  for (std::size_t people = 0; people < count;) {
    const std::size_t k = copies.size();
    const Recording& recording = recordings[k % recordings.size()];
    // 97 is prime: copies of one recording hardly ever play the same frame.
    copies.push_back({&recording, slots, k * 97 % recording.frames.size(), 0, 0});
    slots += recording.place_count;
    people += std::max<std::size_t>(1, recording.mean_persons());
    if (static_cast<std::size_t>(columns * columns) < copies.size()) ++columns;
  }
  for (std::size_t k = 0; k < copies.size(); ++k) {
    copies[k].shift_x = static_cast<Units>(k) % columns * pitch - copies[k].recording->min_x;
    copies[k].shift_z = static_cast<Units>(k) / columns * pitch - copies[k].recording->min_z;
  }
  auto scene = std::make_unique<RecordedScene>(std::move(recordings), std::move(copies), slots,
                                               columns * pitch);
  scene->step();  // to the first frames
  return scene;
}

}  // namespace vicinity::bench
