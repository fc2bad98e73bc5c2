// SPDX-License-Identifier: Apache-2.0
// Large strides over memory that is never there as a whole, and wrong arguments; see calls.h.
#include "planted/calls.h"

#include <sys/mman.h>

#include <algorithm>
#include <set>

#include "sweep/judge.h"
#include "sweep/sizes.h"
#include "tessera/runner.h"

namespace tessera::planted {

namespace {

using reference::Problem;
using reference::TensorSpec;
using sweep::Storage;

/// Address space for a tensor, of which only touched pages take memory.
class Region {
 public:
  explicit Region(std::size_t bytes)
      : bytes_(bytes),
        memory_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                       -1, 0)) {}
  Region(Region&& other) noexcept : bytes_(other.bytes_), memory_(std::exchange(other.memory_, MAP_FAILED)) {}
  ~Region() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, bytes_);
  }
  bool is_there() const { return memory_ != MAP_FAILED; }
  std::byte* data() const { return static_cast<std::byte*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// Which dimension's elements are far from each other: lines, or the elements of a line.
enum class Far { none, lines, elements };

/// A tensor of a problem, some of whose elements are far from each other.
struct Placed {
  const TensorSpec* spec;
  std::vector<std::int64_t> shape;
  Region region;
  TesseraTensor tensor;

  template <typename Body>
  void visit(Body&& body) const {
    std::vector<std::int64_t> at(shape.size(), 0);
    std::int64_t count = 1, offset = 0;
    for (const std::int64_t extent : shape) count *= extent;
    for (std::int64_t position = 0; position < count; ++position) {
      body(static_cast<std::size_t>(position), offset);
      for (std::size_t d = shape.size(); d-- > 0;) {
        offset += tensor.stride[d];
        if (++at[d] < shape[d]) break;
        offset -= tensor.stride[d] * shape[d];
        at[d] = 0;
      }
    }
  }

  void poison() const {
    const std::int64_t bytes = sweep::storage_of(spec->dtype).bytes;
    visit([&](std::size_t, std::int64_t offset) {
      std::memset(static_cast<std::byte*>(tensor.data) + offset * bytes, sweep::kPoison,
                  static_cast<std::size_t>(bytes));
    });
  }
};

/// 2^31 and a little: what is cut to 32 bits lies elsewhere. A multiple of every alignment.
constexpr std::int64_t kVast = (std::int64_t{1} << 31) + 64;
constexpr std::size_t kGuard = 4096;

Placed place(Problem& problem, const TensorSpec& spec, Far far) {
  const Storage& storage = sweep::storage_of(spec.dtype);
  const std::vector<std::int64_t> shape = problem.shape(spec.name);
  TesseraTensor tensor{};
  tensor.rank = static_cast<std::int32_t>(shape.size());
  tensor.dtype = storage.dtype;
  tensor.device = TESSERA_HOST;
  // From the nearest dimension to the farthest: row-major, or the last one behind all others.
  std::vector<std::size_t> order;
  for (std::size_t d = shape.size(); d-- > 0;) order.push_back(d);
  if (far == Far::elements && !order.empty()) std::ranges::rotate(order, order.begin() + 1);
  std::int64_t last = 0, next = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t d = order[i];
    if ((far == Far::lines && i == 1) || (far == Far::elements && i + 1 == order.size())) next = kVast;
    tensor.extent[d] = shape[d];
    tensor.stride[d] = next;
    last += std::max<std::int64_t>(shape[d] - 1, 0) * next;
    next *= std::max<std::int64_t>(shape[d], 1);
  }
  Region region(static_cast<std::size_t>((last + 1) * storage.bytes) + 2 * kGuard);
  tensor.data = region.is_there() ? region.data() + kGuard : nullptr;
  Placed placed{&spec, shape, std::move(region), tensor};
  if (!placed.region.is_there()) return placed;
  if (spec.output) {
    placed.poison();
    return placed;
  }
  placed.visit([&](std::size_t position, std::int64_t offset) {
    storage.store(static_cast<std::byte*>(tensor.data) + offset * storage.bytes,
                  problem.values(spec.name)[position]);
  });
  return placed;
}

/// A call that is ready.
struct Call {
  std::vector<Placed> placed;
  std::vector<TesseraTensor> tensors;
  std::vector<TesseraScalar> scalars;

  Call(Problem& problem, Far far) {
    for (const TensorSpec& spec : problem.description().tensors) {
      placed.push_back(place(problem, spec, far));
      tensors.push_back(placed.back().tensor);
    }
    for (const reference::ScalarSpec& spec : problem.description().scalars) {
      TesseraScalar scalar;
      if (reference::format_of(spec.dtype).is_float())
        scalar.real = problem.scalar(spec.name);
      else
        scalar.integer = static_cast<std::int64_t>(problem.scalar(spec.name));
      scalars.push_back(scalar);
    }
  }

  bool is_there() const {
    return std::ranges::all_of(placed, [](const Placed& one) { return one.region.is_there(); });
  }

  TesseraStatus run(sweep::Entry entry, int variant) const {
    const TesseraLaunch launch{nullptr, variant < 0 ? 0 : TESSERA_VARIANT(variant), 0, 0};
    return entry(tensors.data(), scalars.data(), &launch);
  }

  void poison_outputs() const {
    for (const Placed& one : placed) {
      if (one.spec->output) one.poison();
    }
  }

  sweep::Outputs outputs() const {
    sweep::Outputs result;
    for (const Placed& one : placed) {
      if (!one.spec->output) continue;
      const Storage& storage = sweep::storage_of(one.spec->dtype);
      std::vector<double>& values = result[one.spec->name];
      one.visit([&](std::size_t, std::int64_t offset) {
        values.push_back(
            storage.load(static_cast<const std::byte*>(one.tensor.data) + offset * storage.bytes));
      });
    }
    return result;
  }
};

std::string name_of(const Problem& problem) {
  return problem.description().name + " " + sweep::spell(problem.sizes());
}

/// Every variant on tensors with large strides.
std::optional<Kill> try_vast(sweep::Entry entry, Problem& problem, Far far) {
  constexpr int kMostVariants = 32;
  const Call call(problem, far);
  if (!call.is_there()) return std::nullopt;  // not so much address space: such problems are no test
  for (int variant = 0; variant < kMostVariants; ++variant) {
    call.poison_outputs();
    const TesseraStatus status = call.run(entry, variant);
    if (status.code == TESSERA_UNKNOWN_VARIANT) continue;
    if (status.code != TESSERA_OK) {
      char text[512] = "";
      (void)tessera_runner_twin_fault(0, text, sizeof text);
      return Kill{"vast strides", name_of(problem) + ": status " + std::to_string(status.code) + " " + text};
    }
    const sweep::Verdict verdict = sweep::judge(problem, call.outputs());
    if (!verdict.mistakes.empty()) return Kill{"vast strides", name_of(problem) + verdict.mistakes};
  }
  return std::nullopt;
}

/// Calls the kernel with something wrong; a kill when it is not refused with this code.
std::optional<Kill> refused(sweep::Entry entry, const Problem& problem, const Call& call, int code,
                            const std::string& what) {
  const TesseraStatus status = call.run(entry, -1);
  if (status.code == code) return std::nullopt;
  return Kill{"accepted call",
              name_of(problem) + ": " + what + " ends with status " + std::to_string(status.code)};
}

/// Whether the extent of a dimension follows from something else.
bool is_bound(const reference::Case& description, std::size_t tensor, std::size_t dimension) {
  const std::string& own = description.tensors[tensor].dims[dimension];
  if (own[0] >= '0' && own[0] <= '9') return true;
  int times = 0;
  for (const TensorSpec& spec : description.tensors)
    times += static_cast<int>(std::ranges::count(spec.dims, own));
  return times > 1;
}

/// A wrong extent, a stride that cannot be, another dtype and rank, memory of another tensor.
std::optional<Kill> try_wrong(sweep::Entry entry, Problem& problem) {
  const Call sound(problem, Far::none);
  const reference::Case& description = problem.description();
  std::optional<Kill> kill;
  const auto expect = [&](std::size_t t, int code, const std::string& what, auto change) {
    if (kill) return;
    Call call(problem, Far::none);
    change(call.tensors[t]);
    kill = refused(entry, problem, call, code, description.tensors[t].name + ": " + what);
  };
  for (std::size_t t = 0; t < sound.tensors.size() && !kill; ++t) {
    const auto rank = static_cast<std::size_t>(sound.tensors[t].rank);
    for (std::size_t d = 0; d < rank; ++d) {
      // The outermost one may grow, inner ones shrink, without elements coming to lie on each other.
      if (is_bound(description, t, d) && (d == 0 || sound.tensors[t].extent[d] > 1))
        expect(t, TESSERA_WRONG_EXTENT, "another extent",
               [&](TesseraTensor& tensor) { tensor.extent[d] += d == 0 ? 1 : -1; });
      expect(t, TESSERA_WRONG_STRIDE, "negative stride",
             [&](TesseraTensor& tensor) { tensor.stride[d] = -1; });
    }
    expect(t, TESSERA_WRONG_DTYPE, "dtype", [](TesseraTensor& tensor) {
      tensor.dtype = tensor.dtype == TESSERA_F32 ? TESSERA_I32 : TESSERA_F32;
    });
    expect(t, TESSERA_WRONG_RANK, "rank", [](TesseraTensor& tensor) { tensor.rank += 1; });
    expect(t, TESSERA_NULL_POINTER, "null", [](TesseraTensor& tensor) { tensor.data = nullptr; });
    if (sweep::storage_of(description.tensors[t].dtype).bytes > 1)
      expect(t, TESSERA_MISALIGNED, "odd address",
             [](TesseraTensor& tensor) { tensor.data = static_cast<std::byte*>(tensor.data) + 1; });
    if (!description.tensors[t].output) continue;
    if (rank > 0 && sound.tensors[t].extent[0] > 1)
      expect(t, TESSERA_WRONG_STRIDE, "elements on each other",
             [](TesseraTensor& tensor) { tensor.stride[0] = 0; });
    if (t > 0)
      expect(t, TESSERA_OVERLAP, "memory of an input",
             [&](TesseraTensor& tensor) { tensor.data = (&tensor - t)->data; });
  }
  return kill;
}

bool has_elements(const Problem& problem) {
  return std::ranges::all_of(problem.sizes(), [](const auto& size) { return size.second > 0; });
}

}  // namespace

std::optional<Kill> try_calls(const Program& program, Problems& problems) {
  (void)tessera_runner_twin_options(0, 0, -1);
  std::set<std::string> seen;  // one problem of each kernel is enough
  for (const auto& problem : problems) {
    const auto entry = program.entries.find(problem->description().kernel);
    if (entry == program.entries.end() || !has_elements(*problem)) continue;
    if (!seen.insert(entry->first).second) continue;
    for (const Far far : {Far::lines, Far::elements}) {
      if (auto kill = try_vast(entry->second, *problem, far)) return kill;
    }
    if (auto kill = try_wrong(entry->second, *problem)) return kill;
  }
  return std::nullopt;
}

}  // namespace tessera::planted
