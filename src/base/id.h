// SPDX-License-Identifier: Apache-2.0
// Typed 32-bit ids and the store they index: every structure of the compiler refers by id, never by pointer.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <utility>

#include "base/check.h"

namespace tessera {

/// A 32-bit index whose type says what it indexes. `Tag` is any type, usually an incomplete struct:
/// `using ValueId = Id<struct ValueTag>;`. A default-constructed id is not valid and means "none".
template <typename Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t index) : index_(index) {}

  constexpr bool valid() const { return index_ != kNone; }
  constexpr explicit operator bool() const { return valid(); }
  /// The position in the store that handed the id out.
  constexpr std::uint32_t index() const { return index_; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t index_ = kNone;
};

/// Owns the elements that ids of type `IdT` name. Elements are only ever added, so an id stays good for the
/// store's life, and so does a reference to an element (the container never moves them).
template <typename IdT, typename T>
class Store {
 public:
  /// Appends `element` and returns its id.
  IdT add(T element) {
    TESSERA_CHECK(elements_.size() < std::numeric_limits<std::uint32_t>::max(),
                  "store holds 2^32 - 1 elements");
    elements_.push_back(std::move(element));
    return IdT(static_cast<std::uint32_t>(elements_.size() - 1));
  }

  T& operator[](IdT id) { return elements_[checked(id)]; }
  const T& operator[](IdT id) const { return elements_[checked(id)]; }

  std::size_t size() const { return elements_.size(); }
  bool empty() const { return elements_.empty(); }
  bool contains(IdT id) const { return id.valid() && id.index() < elements_.size(); }
  /// The id of the element at position `index`, in order of addition.
  IdT id_at(std::size_t index) const { return IdT(static_cast<std::uint32_t>(index)); }

  auto begin() { return elements_.begin(); }
  auto end() { return elements_.end(); }
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }

 private:
  std::size_t checked(IdT id) const {
    TESSERA_CHECK(contains(id), "an id is not from this store");
    return id.index();
  }

  std::deque<T> elements_;
};

}  // namespace tessera

template <typename Tag>
struct std::hash<tessera::Id<Tag>> {
  std::size_t operator()(tessera::Id<Tag> id) const noexcept {
    return std::hash<std::uint32_t>{}(id.index());
  }
};
