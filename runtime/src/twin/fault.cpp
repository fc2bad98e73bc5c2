// SPDX-License-Identifier: Apache-2.0
// Fault reports: collecting them, and finding the line of the .tsr file they are about.
#include "tessera/twin/fault.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

#include "tessera/twin/machine.h"

namespace tessera::twin {

namespace {

/// What has been found in the running launch, or the last one.
struct Log {
  std::string kernel;
  std::vector<Fault> faults;
  std::int64_t count = 0, count_of_all = 0;
  std::function<void(const Fault&)> listener;
};
thread_local Log fault_log;

/// The "name.tsr:12" that a comment of the line leads to, if it has one.
std::string source_in(const std::string& line) {
  const std::size_t comment = line.find("// ");
  const std::size_t extension = comment == std::string::npos ? comment : line.find(".tsr:", comment);
  if (extension == std::string::npos) return {};
  const std::size_t begin = line.find_last_of(" /", extension) + 1;
  std::size_t end = extension + std::strlen(".tsr:");
  const std::size_t first_digit = end;
  while (end < line.size() && line[end] >= '0' && line[end] <= '9') ++end;
  return end == first_digit ? std::string() : line.substr(begin, end - begin);
}

/// The lines of a file, read once per host thread; none when it cannot be read.
const std::vector<std::string>& lines_of(const char* file) {
  thread_local std::map<std::string, std::vector<std::string>> files;
  const auto [entry, is_new] = files.try_emplace(file);
  if (is_new) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) entry->second.push_back(line);
  }
  return entry->second;
}

bool same_place(const Location& a, const Location& b) {
  if (a.file == nullptr || b.file == nullptr) return a.file == b.file;
  return a.line == b.line && std::strcmp(a.file, b.file) == 0;
}

void add(Fault fault) {
  Log& log = fault_log;
  ++log.count;
  ++log.count_of_all;
  const bool known = std::any_of(log.faults.begin(), log.faults.end(), [&](const Fault& other) {
    return other.kind == fault.kind && same_place(other.where, fault.where) && fault.where.file != nullptr;
  });
  if (known || log.faults.size() >= kMaxFaults) return;
  fault.source = source_of(fault.where);
  fault.kernel = log.kernel;
  log.faults.push_back(std::move(fault));
  if (log.listener) {
    log.listener(log.faults.back());
  } else {
    std::fprintf(stderr, "%s\n", to_string(log.faults.back()).c_str());
  }
}

}  // namespace

const char* to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::out_of_bounds: return "out of bounds";
    case FaultKind::outside_allocation: return "outside of its allocation";
    case FaultKind::misaligned: return "misaligned access";
    case FaultKind::broken_promise: return "vector access without unit stride";
    case FaultKind::written_twice: return "written twice";
    case FaultKind::never_written: return "never written";
    case FaultKind::read_before_written: return "output read before it was written";
    case FaultKind::shared_out_of_bounds: return "out of bounds in shared memory";
    case FaultKind::shared_uninitialised: return "shared memory read before it was written";
    case FaultKind::shared_race: return "race in shared memory";
    case FaultKind::copy_in_flight: return "copy still under way";
    case FaultKind::uninitialised: return "value that nobody initialised";
    case FaultKind::divergent_barrier: return "divergent barrier";
    case FaultKind::divergent_shuffle: return "divergent shuffle";
    case FaultKind::barrier_uninitialised: return "mbarrier used before it was initialised";
    case FaultKind::barrier_misused: return "misused mbarrier";
    case FaultKind::endless_wait: return "endless wait";
    case FaultKind::not_fenced: return "not fenced";
    case FaultKind::block_gone: return "block gone";
    case FaultKind::runs_ahead: return "runs ahead";
    case FaultKind::never_copied: return "never copied";
  }
  return "unknown fault";
}

std::string to_string(const Fault& fault) {
  std::string text = fault.source.empty() ? fault.kernel : fault.source;
  text += std::string(": ") + to_string(fault.kind) + ": " + fault.detail + " (" + fault.kernel;
  if (fault.thread >= 0) {
    text += ", block " + std::to_string(fault.block) + ", thread " + std::to_string(fault.thread);
  }
  return text + ")";
}

std::string source_of(Location where) {
  if (where.file == nullptr) return {};
  const std::vector<std::string>& lines = lines_of(where.file);
  for (int line = std::min<int>(where.line, static_cast<int>(lines.size())); line > 0; --line) {
    std::string source = source_in(lines[static_cast<std::size_t>(line - 1)]);
    if (!source.empty()) return source;
  }
  const char* slash = std::strrchr(where.file, '/');
  return std::string(slash == nullptr ? where.file : slash + 1) + ":" + std::to_string(where.line);
}

const std::vector<Fault>& faults() { return fault_log.faults; }
std::int64_t fault_count() { return fault_log.count; }
std::int64_t fault_count_of_all() { return fault_log.count_of_all; }

void on_fault(std::function<void(const Fault&)> listener) { fault_log.listener = std::move(listener); }

void report(FaultKind kind, Location where, std::string detail) {
  add({kind, {}, context.block + block_rank(), thread_of_block(), std::move(detail), {}, where});
}

void report_launch(FaultKind kind, Location where, std::string detail) {
  add({kind, {}, -1, -1, std::move(detail), {}, where});
}

void begin_faults(const char* kernel) {
  fault_log.kernel = kernel;
  fault_log.faults.clear();
  fault_log.count = 0;
}

}  // namespace tessera::twin
