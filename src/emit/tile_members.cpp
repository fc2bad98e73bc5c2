// SPDX-License-Identifier: Apache-2.0
// The members of an `@autotune`, by their prices.
#include "emit/tile_members.h"

#include <fmt/format.h>

#include "emit/plan_choices.h"
#include "emit/plan_requests.h"
#include "emit/tile_price.h"
#include "emit/warpgroup_plan.h"

namespace tessera::emit {

namespace {

class MemberPicker {
 public:
  MemberPicker(ir::Kernel& kernel, ir::SizeTable& sizes, const Target& target, const PlanOverrides& overrides,
               TilePlan& plan)
      : kernel_(kernel),
        space_(*kernel.tuning),
        sizes_(sizes),
        target_(target),
        overrides_(overrides),
        plan_(plan) {}

  std::string run() {
    const std::vector<int64_t>* best = nullptr;
    double least = 0;
    std::string first_reason;
    for (const std::vector<int64_t>& member : space_.members) {
      double price = 0;
      const std::string reason = attempt(member, price);
      if (reason.empty() && (!best || price < least)) {
        best = &member;
        least = price;
      }
      if (first_reason.empty()) first_reason = reason;
      plan_.members.push_back(fmt::format(
          "member {}: {}", spell(member),
          reason.empty() ? fmt::format("{:.1f} clocks for a million multiply-adds", price) : reason));
    }
    if (!best)
      return fmt::format("none of its {} members can be: with {}, {}", space_.members.size(),
                         spell(space_.members[0]), first_reason);
    set(*best);
    plan_.members.push_back(fmt::format("picked {}: the least price; nothing was run", spell(*best)));
    return "";
  }

 private:
  void set(const std::vector<int64_t>& member) {
    for (size_t k = 0; k < member.size(); ++k)
      set_parameter(kernel_, space_.names[k], member[k], space_.span);
  }

  /// Why a member cannot be honoured, or its price.
  std::string attempt(const std::vector<int64_t>& member, double& price) {
    set(member);
    DiagnosticSink told;
    if (!check_requests(kernel_, target_, overrides_, told)) return told.sorted().front().message;
    TilePlan plan = plan_;
    plan.shapes.clear();
    std::string reason = choose_shapes(kernel_, sizes_, target_, overrides_, plan);
    for (const TileShape& shape : plan.shapes) price += emit::price(kernel_, plan, shape, target_);
    const auto groups = requested_warpgroups(kernel_, overrides_);
    if (!reason.empty() || !groups || *groups == 0) return reason;
    GroupShapes by_groups = choose_group_shapes({kernel_, sizes_, target_, overrides_, plan, groups});
    return by_groups.is_of_phase ? "" : by_groups.reason;
  }

  std::string spell(const std::vector<int64_t>& member) const {
    std::string text;
    for (size_t k = 0; k < member.size(); ++k)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", space_.names[k], member[k]);
    return text;
  }

  ir::Kernel& kernel_;
  const ir::TuningSpace space_;
  ir::SizeTable& sizes_;
  const Target& target_;
  const PlanOverrides& overrides_;
  TilePlan& plan_;
};

}  // namespace

std::string pick_member(ir::Kernel& kernel, ir::SizeTable& sizes, const Target& target,
                        const PlanOverrides& overrides, TilePlan& plan) {
  return MemberPicker(kernel, sizes, target, overrides, plan).run();
}

}  // namespace tessera::emit
