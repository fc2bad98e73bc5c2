// SPDX-License-Identifier: Apache-2.0
// Every element of an output is written (R14): the stores' boxes, taken from the tensor's box, leave nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sema/prove/store.h"

namespace tessera::sema {

/// Elements that are not provably written.
struct Uncovered {
  std::string elements;              ///< as an index list: "[.., 0]"
  std::optional<Absence> absence;    ///< why a store's value may not exist, if that is the reason
  const Store* store = nullptr;      ///< the store whose value it is
  const Store* not_a_box = nullptr;  ///< a store whose elements could not be described
};

/// The first part of the tensor that no store provably writes.
std::optional<Uncovered> find_uncovered(Prover& prover, ir::TensorId tensor,
                                        const std::vector<Store>& stores);

}  // namespace tessera::sema
