// SPDX-License-Identifier: Apache-2.0
// The shared memory of the running block and its shadow. Two accesses to a granule (an element; a byte in
// dynamic shared memory, where arrays may overlap) race when they are by different threads, one writes, and
// no barrier orders them. What an asynchronous copy writes is nobody's until the thread that started it has waited.
#include "tessera/twin/shared_memory.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "barrier_state.h"
#include "box_copies.h"
#include "machine_state.h"

namespace tessera::twin {

namespace {

/// What is known of one granule since the block began.
struct Granule {
  std::uint32_t block_stamp = 0;  // of another block: nothing is known
  Event write{-1, 0};             // the last one
  std::vector<Event> reads;       // since that write, those that no later read is ordered behind
  int copying = -1;               // the thread whose copy to it is under way
  int reading = -1;               // the thread for which an engine reads it
  int fences = -1;                // how many the thread that wrote it had made; -1: an engine wrote it
};

/// A copy that has been started, in a group of its thread.
struct PendingCopy {
  SharedArray array;
  int i;
  int count;
  unsigned char value[kMaxCopyBytes];
  int group;
};

/// The copies of one thread. Group number `groups` is still open.
struct CopyQueue {
  std::uint32_t block_stamp = 0;  // of another block: there are none
  std::vector<PendingCopy> copies;
  int groups = 0;
};

/// Sixteen granules of dynamic shared memory. While all accesses are to multiples of a power of two of them, as those of
/// copies and of numbers are, the first granule of each stands for all.
struct GranuleGroup {
  static constexpr int kSize = 16;
  std::uint32_t block_stamp = 0;
  int unit = kSize;
};

/// A shared array of the launch, or all its dynamic shared memory.
struct Region {
  const void* key;
  int rank;  // of the block in its cluster
  int granule_bytes;
  std::vector<std::max_align_t> storage;
  std::vector<Granule> granules;
  std::vector<GranuleGroup> groups;  // of dynamic shared memory

  Region(const void* key, int rank, int bytes, int granule_bytes)
      : key(key),
        rank(rank),
        granule_bytes(granule_bytes),
        storage(static_cast<std::size_t>(bytes) / sizeof(std::max_align_t) + 1),
        granules(static_cast<std::size_t>(bytes / granule_bytes)),
        groups(key == nullptr ? granules.size() / GranuleGroup::kSize + 1 : 0) {}

  unsigned char* bytes() { return reinterpret_cast<unsigned char*>(storage.data()); }
};

/// The shared memory of this host thread's machine.
struct SharedMemory {
  std::vector<std::unique_ptr<Region>> arrays;
  std::vector<std::unique_ptr<Region>> dynamic;  // by block of the cluster, made when it is asked for
  int static_bytes = 0, dynamic_bytes = 0;
  std::vector<CopyQueue> copies;  // by thread of the block
  std::vector<int> fences;        // by thread of the block: how many between proxies it has made
  std::int64_t accesses = 0;
};
thread_local SharedMemory memory;

/// A thread's own event; one entry a thread is enough in a list of reads, because its later events are the
/// stronger.
Event this_event() { return machine().now(); }

bool ordered(Event event) { return machine().happened_before(event); }

Granule& fresh(Granule& granule) {
  if (granule.block_stamp != machine().block_stamp()) {
    granule.block_stamp = machine().block_stamp();
    granule.write = {-1, 0};
    granule.reads.clear();
    granule.copying = -1;
    granule.reading = -1;
  }
  return granule;
}

/// How many fences between proxies a thread has made in this launch.
int& fences_of(int thread) {
  const auto place = static_cast<std::size_t>(thread);
  if (memory.fences.size() <= place) memory.fences.resize(place + 1);
  return memory.fences[place];
}

/// The current thread has written it.
void note_write(Granule& granule) {
  granule.reads.clear();
  granule.write = this_event();
  granule.fences = fences_of(context.thread);
}

void note_read(Granule& granule) {
  if (!granule.reads.empty() && granule.reads.back().thread == context.thread) {
    granule.reads.back() = this_event();
    return;
  }
  if (!granule.reads.empty() && ordered(granule.reads.front())) std::erase_if(granule.reads, ordered);
  granule.reads.push_back(this_event());
}

std::string element_text(const SharedArray& array, int i) {
  return array.name + ("[" + std::to_string(i) + "]");
}

std::string race_text(const SharedArray& array, int i, const char* what, int thread) {
  return element_text(array, i) + ": thread " + std::to_string(thread) + what +
         " it, and no barrier stands in between";
}

/// Whether no copy to the granule is under way; reports it if one is.
bool at_rest(const Granule& granule, const SharedArray& array, int element, Location where) {
  if (granule.copying < 0) return true;
  report(FaultKind::copy_in_flight, where,
         element_text(array, element) + ": thread " + std::to_string(granule.copying) +
             " has started a copy to it and not waited for it");
  return false;
}

/// Whether no engine reads the granule; reports it if one does.
bool is_read_no_more(const Granule& granule, const SharedArray& array, int element, Location where) {
  if (granule.reading < 0) return true;
  report(FaultKind::copy_in_flight, where,
         element_text(array, element) + ": thread " + std::to_string(granule.reading) +
             " has started a copy from it and not waited for it");
  return false;
}

/// Whether an engine sees what was written to the granule; reports it if not.
bool is_fenced(const Granule& granule, const SharedArray& array, int element, Location where) {
  if (granule.fences < 0 || fences_of(granule.write.thread) > granule.fences) return true;
  report(FaultKind::not_fenced, where,
         element_text(array, element) + ": thread " + std::to_string(granule.write.thread) +
             " wrote it, and made no fence before an engine reads it");
  return false;
}

GranuleGroup& fresh(GranuleGroup& group) {
  if (group.block_stamp != machine().block_stamp()) group = {machine().block_stamp(), GranuleGroup::kSize};
  return group;
}

/// What a visit leaves of granules: the same of all, or something of each.
enum class Leaves { same, own };

/// Makes the units of a group, which begins at granule `begin`, as small as an access to [first, end) of it needs.
void split_units(Region& region, GranuleGroup& group, int begin, int first, int end) {
  int unit = group.unit;
  while ((first - begin) % unit != 0 || (end - begin) % unit != 0) unit /= 2;
  if (unit == group.unit) return;
  const int stop = std::min(begin + GranuleGroup::kSize, static_cast<int>(region.granules.size()));
  for (int number = begin; number < stop; number += unit) {
    const int whole = begin + (number - begin) / group.unit * group.unit;
    if (number == whole) {
      fresh(region.granules[static_cast<std::size_t>(whole)]);
    } else {
      region.granules[static_cast<std::size_t>(number)] = region.granules[static_cast<std::size_t>(whole)];
    }
  }
  group.unit = unit;
}

/// Calls `visit(granule, element)` for the granules of elements [i, i + count) until it returns false.
template <Leaves kLeaves, typename Visit>
void for_granules(const SharedArray& array, int i, int count, Visit visit) {
  constexpr int kSize = GranuleGroup::kSize;
  auto& region = *static_cast<Region*>(array.region);
  const int first = (array.first_byte + i * array.element_bytes) / region.granule_bytes;
  const int end = (array.first_byte + (i + count) * array.element_bytes - 1) / region.granule_bytes + 1;
  const auto visit_number = [&](int number) {
    const int element = (number * region.granule_bytes - array.first_byte) / array.element_bytes;
    return visit(fresh(region.granules[static_cast<std::size_t>(number)]), element);
  };
  for (int number = first; number < end;) {
    if (region.groups.empty()) {
      if (!visit_number(number++)) return;
      continue;
    }
    GranuleGroup& group = fresh(region.groups[static_cast<std::size_t>(number / kSize)]);
    const int begin = number / kSize * kSize, stop = std::min(end, begin + kSize);
    const bool is_whole = stop - number == kSize;
    split_units(region, group, begin, number, stop);
    for (; number < stop; number += group.unit)
      if (!visit_number(number)) return;
    if (is_whole && kLeaves == Leaves::same) group.unit = kSize;
  }
}

bool inside(const SharedArray& array, int i, int count, Location where) {
  ++memory.accesses;
  if (array.region == nullptr) return false;
  if (i >= 0 && i + count <= array.count) return true;
  report(FaultKind::shared_out_of_bounds, where,
         element_text(array, i) +
             (count > 1 ? " and the " + std::to_string(count - 1) + " that follow" : "") + ", extent " +
             std::to_string(array.count));
  return false;
}

}  // namespace

void begin_shared(int dynamic_bytes) {
  begin_barriers();
  begin_boxes();
  memory.arrays.clear();
  memory.static_bytes = 0;
  memory.dynamic_bytes = dynamic_bytes;
  memory.dynamic.clear();
  memory.fences.clear();
}

std::int64_t shared_accesses() { return memory.accesses; }

void count_static_bytes(const char* name, int bytes, Location where) {
  memory.static_bytes += bytes;
  if (memory.static_bytes <= kMostStaticBytes) return;
  report(FaultKind::shared_out_of_bounds, where,
         std::string(name) + ": the arrays of the function take " + std::to_string(memory.static_bytes) +
             " bytes of shared memory, and may take " + std::to_string(kMostStaticBytes));
}

namespace {

SharedArray static_array(const void* key, int rank, const char* name, int element_bytes, int count,
                         Location where) {
  Region* region = nullptr;
  for (const std::unique_ptr<Region>& array : memory.arrays) {
    if (array->key == key && array->rank == rank) region = array.get();
  }
  if (region == nullptr) {
    if (rank == 0) count_static_bytes(name, element_bytes * count, where);
    memory.arrays.push_back(std::make_unique<Region>(key, rank, element_bytes * count, element_bytes));
    region = memory.arrays.back().get();
  }
  return {name, region, region->bytes(), 0, element_bytes, count, key};
}

Region& dynamic_region(int rank) {
  const auto place = static_cast<std::size_t>(rank);
  if (memory.dynamic.size() <= place) memory.dynamic.resize(place + 1);
  std::unique_ptr<Region>& region = memory.dynamic[place];
  if (region == nullptr) region = std::make_unique<Region>(nullptr, rank, memory.dynamic_bytes, 1);
  return *region;
}

}  // namespace

SharedArray static_shared(const void* key, const char* name, int element_bytes, int count, Location where) {
  return static_array(key, block_rank(), name, element_bytes, count, where);
}

SharedArray array_of_block(const SharedArray& array, int rank, Location where) {
  if (array.key != nullptr)
    return static_array(array.key, rank, array.name, array.element_bytes, array.count, where);
  SharedArray result = array;
  if (array.region == nullptr) return result;
  Region& region = dynamic_region(rank);
  result.region = &region;
  result.bytes = region.bytes() + array.first_byte;
  return result;
}

SharedArray dynamic_shared(DynamicByte first, const char* name, int element_bytes, int count,
                           Location where) {
  const int end = first.first + element_bytes * count;
  if (first.first < 0 || first.first % 16 != 0 || end > memory.dynamic_bytes) {
    report(FaultKind::shared_out_of_bounds, where,
           std::string(name) + " takes bytes " + std::to_string(first.first) + " to " +
               std::to_string(end - 1) + " of the dynamic shared memory, which has " +
               std::to_string(memory.dynamic_bytes));
    return {name, nullptr, nullptr, 0, element_bytes, count, nullptr};
  }
  Region& region = dynamic_region(block_rank());
  return {name, &region, region.bytes() + first.first, first.first, element_bytes, count, nullptr};
}

namespace {

/// Whether a read of a granule is right, which is thereby noted. Somebody wrote it.
bool may_read(Granule& granule, const SharedArray& array, int element, Location where, Proxy proxy) {
  const bool good = ordered(granule.write);
  if (!good) {
    report(FaultKind::shared_race, where, race_text(array, element, " wrote", granule.write.thread));
    granule.write = this_event();
    granule.fences = -1;
  }
  note_read(granule);
  return good && (proxy == Proxy::generic || is_fenced(granule, array, element, where));
}

}  // namespace

bool may_read_shared(const SharedArray& array, int i, int count, Location where, Proxy proxy) {
  if (!inside(array, i, count, where)) return false;
  for_granules<Leaves::own>(array, i, count, [&](Granule& granule, int element) {
    if (!at_rest(granule, array, element, where)) return false;
    if (granule.write.thread >= 0) return may_read(granule, array, element, where, proxy);
    report(FaultKind::shared_uninitialised, where, element_text(array, element));
    return false;
  });
  return true;
}

bool may_multiply_shared(const SharedArray& array, int i, int count, Location where) {
  if (!inside(array, i, count, where)) return false;
  bool is_written = true;
  for_granules<Leaves::own>(array, i, count, [&](Granule& granule, int element) {
    if (!at_rest(granule, array, element, where)) return false;
    is_written = granule.write.thread >= 0;
    return is_written && may_read(granule, array, element, where, Proxy::async);
  });
  return is_written;
}

bool may_write_shared(const SharedArray& array, int i, int count, Location where) {
  if (!inside(array, i, count, where)) return false;
  for_granules<Leaves::same>(array, i, count, [&](Granule& granule, int element) {
    bool good = at_rest(granule, array, element, where) && is_read_no_more(granule, array, element, where);
    if (good && granule.write.thread >= 0 && !ordered(granule.write)) {
      report(FaultKind::shared_race, where, race_text(array, element, " wrote", granule.write.thread));
      good = false;
    }
    const auto reader = std::find_if_not(granule.reads.begin(), granule.reads.end(), ordered);
    if (good && reader != granule.reads.end()) {
      report(FaultKind::shared_race, where, race_text(array, element, " read", reader->thread));
      good = false;
    }
    note_write(granule);
    return good;
  });
  return true;
}

namespace {

/// The copies of the current thread.
CopyQueue& own_copies() {
  if (memory.copies.size() < static_cast<std::size_t>(context.threads))
    memory.copies.resize(static_cast<std::size_t>(context.threads));
  CopyQueue& queue = memory.copies[static_cast<std::size_t>(context.thread)];
  if (queue.block_stamp != machine().block_stamp()) queue = {machine().block_stamp(), {}, 0};
  return queue;
}

void write_value(const PendingCopy& copy) {
  std::memcpy(copy.array.bytes + copy.i * copy.array.element_bytes, copy.value,
              static_cast<std::size_t>(copy.count) * static_cast<std::size_t>(copy.array.element_bytes));
}

/// The bytes are there: the current thread has written them.
void finish(const PendingCopy& copy) {
  if (options().copies == Copies::late) write_value(copy);
  for_granules<Leaves::same>(copy.array, copy.i, copy.count, [](Granule& granule, int) {
    granule.copying = -1;
    note_write(granule);
    return true;
  });
}

}  // namespace

void start_copy(const SharedArray& array, int i, int count, const void* value, Location where) {
  if (!may_write_shared(array, i, count, where)) return;
  CopyQueue& queue = own_copies();
  PendingCopy& copy = queue.copies.emplace_back(PendingCopy{array, i, count, {}, queue.groups});
  std::memcpy(copy.value, value,
              static_cast<std::size_t>(count) * static_cast<std::size_t>(array.element_bytes));
  if (options().copies == Copies::early) write_value(copy);
  begin_flight(array, i, count);
}

void begin_flight(const SharedArray& array, int i, int count) {
  for_granules<Leaves::own>(array, i, count, [](Granule& granule, int) {
    granule.copying = context.thread;
    return true;
  });
}

void end_flight(const SharedArray& array, int i, int count, const Event& started) {
  for_granules<Leaves::same>(array, i, count, [&](Granule& granule, int) {
    granule.copying = -1;
    granule.write = started;
    granule.fences = -1;
    granule.reads.clear();
    return true;
  });
}

void begin_reading(const SharedArray& array, int i, int count) {
  for_granules<Leaves::own>(array, i, count, [](Granule& granule, int) {
    granule.reading = context.thread;
    return true;
  });
}

void end_reading(const SharedArray& array, int i, int count) {
  for_granules<Leaves::own>(array, i, count, [](Granule& granule, int) {
    granule.reading = -1;
    note_read(granule);
    return true;
  });
}

void fence_proxies() { ++fences_of(context.thread); }

void commit_copies() { ++own_copies().groups; }

void wait_for_copies(int pending) {
  CopyQueue& queue = own_copies();
  std::erase_if(queue.copies, [&](const PendingCopy& copy) {
    if (copy.group >= queue.groups - pending) return false;
    finish(copy);
    return true;
  });
}

}  // namespace tessera::twin
