// SPDX-License-Identifier: Apache-2.0
#include "emit/register_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "emit/naming.h"

namespace tessera::emit {

HeldValue HeldValue::number(int64_t value) { return {fmt::format("{}", value), -1, value, 0, true}; }

HeldValue HeldValue::moved(int64_t by) const {
  HeldValue result = *this;
  result.offset += by;
  return result;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (char c : text) {
    const bool in_word = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == ':';
    if (in_word) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

double words(int bytes) { return std::max(1, bytes / 4); }
double words(DType type) { return is_bool(type) ? 0 : words(static_cast<int>(size_in_bytes(type))); }

int bytes_of_type(std::string_view cpp) {
  for (const DTypeInfo& row : all_dtypes())
    if (type_name(row.dtype) == cpp) return std::max(1, static_cast<int>(size_in_bytes(row.dtype)));
  constexpr int kThreeWords = 12;  // Divisor, Indexed<T>
  return cpp == "Divisor" || cpp.starts_with("Indexed<") ? kThreeWords : 4;
}

HeldNames::HeldNames(const Variant& variant)
    : constants_{{"kThreads", variant.threads},
                 {"kRows", variant.rows},
                 {"kVector", variant.vector},
                 {"kStrips", variant.strips}} {}

HeldObject* HeldNames::find(const std::string& name) const {
  for (auto each = names_.rbegin(); each != names_.rend(); ++each)
    if (each->first == name) return each->second.get();
  return nullptr;
}

HeldObject& HeldNames::declare(const std::string& name, std::size_t depth) {
  names_.emplace_back(name, std::make_shared<HeldObject>());
  names_.back().second->depth = depth;
  return *names_.back().second;
}

void HeldNames::bind(const std::string& name, HeldValue value, std::size_t depth) {
  declare(name, depth).slots = {std::move(value)};
}

std::optional<int64_t> HeldNames::number(const std::string& word) const {
  if (const auto found = constants_.find(word); found != constants_.end()) return found->second;
  constexpr size_t kMostDigits = 18;
  const bool digits = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || word.size() > kMostDigits) return std::nullopt;
  return std::stoll(word);
}

std::optional<int64_t> HeldNames::constant_of(const std::string& text) const {
  std::optional<int64_t> result;
  const bool adds = text.find('+') != std::string::npos;
  for (const std::string& word : words_of(text)) {
    const HeldObject* object = find(word);
    const auto value = object && object->slots.size() == 1 ? object->slots[0].constant : number(word);
    if (!value) return std::nullopt;
    result = !result ? *value : adds ? *result + *value : *result * *value;
  }
  return result;
}

HeldValue HeldNames::value_of(const std::string& word) {
  if (const auto known = number(word)) return HeldValue::number(*known);
  const HeldObject* object = find(word);
  return object && !object->slots.empty() ? object->slots[0] : HeldValue::free(word);
}

// Window<T, N, kBefore, kBehind>: elements one by one, each in a register.
HeldObject& HeldNames::shape_window(HeldObject& object, const std::vector<std::string>& words) const {
  int count = 0;
  for (size_t k = 2; k < words.size(); ++k) count += static_cast<int>(number(words[k]).value_or(1));
  object.bytes = std::max(4, bytes_of_type(words[1]));
  object.origin = static_cast<int>(number(words[3]).value_or(0));
  object.strides = {1};
  object.slots.assign(static_cast<size_t>(count), HeldValue::free("not initialised"));
  return object;
}

HeldObject& HeldNames::shape(const lowered::Local& local, std::size_t depth) {
  constexpr int64_t kMostSlots = 4096;
  const std::vector<std::string> words = words_of(local.type);
  HeldObject& object = declare(local.name, depth);
  if (words.size() > 4 && words[0] == "Window") return shape_window(object, words);
  const bool vector = words.size() >= 3 && words[0] == "Vector";
  object.bytes = bytes_of_type(vector ? words[1] : local.type);
  if (vector) {
    object.lanes = 1;  // Vector<T, 2 * kVector>
    for (size_t k = 2; k < words.size(); ++k) object.lanes *= static_cast<int>(number(words[k]).value_or(1));
    object.strides = {1};
  }
  int64_t count = object.lanes;
  for (auto extent = local.extents.rbegin(); extent != local.extents.rend(); ++extent) {
    object.strides.insert(object.strides.begin(), static_cast<int>(count));
    count = std::min(count * std::max<int64_t>(constant_of(*extent).value_or(1), 1), kMostSlots);
  }
  object.slots.assign(static_cast<size_t>(count), HeldValue::free("not initialised"));
  return object;
}

}  // namespace tessera::emit
