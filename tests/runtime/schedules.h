// SPDX-License-Identifier: Apache-2.0
// The schedules under which tests run on the host twin.
#pragma once

#include <functional>

#include "catch.h"
#include "tessera/kernel.h"

namespace schedules {

/// Calls `visit` under some schedules, with copies that arrive early and late.
inline void for_schedules(const std::function<void()>& visit) {
  using namespace tessera;
  twin::on_fault([](const twin::Fault&) {});
  for (const twin::Copies copies : {twin::Copies::early, twin::Copies::late}) {
    for (const twin::Schedule schedule :
         {twin::Schedule::forward, twin::Schedule::reverse, twin::Schedule::random}) {
      twin::options() = {.schedule = schedule, .seed = 11, .copies = copies};
      INFO("schedule " << static_cast<int>(schedule) << ", copies " << static_cast<int>(copies));
      visit();
    }
  }
  twin::options() = {};
  twin::on_fault({});
}

}  // namespace schedules
