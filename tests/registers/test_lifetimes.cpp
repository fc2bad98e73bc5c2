// SPDX-License-Identifier: Apache-2.0
// Lifetimes counted by hand.
#include "catch.h"
#include "src/emit/lifetimes.h"

using tessera::emit::Lifetimes;

TEST_CASE("a value lives until its last use") {
  Lifetimes lives;
  const int a = lives.add(2);
  lives.step();
  const int b = lives.add(3);
  lives.step();
  lives.use(a);
  lives.step();
  lives.add(4);  // takes the place of a
  lives.step();
  lives.use(b);
  CHECK(lives.peak() == 5);
  lives.scratch(10);
  lives.step();
  CHECK(lives.peak() == 10);
}

TEST_CASE("what a loop uses from outside lives until it ends") {
  Lifetimes lives;
  const int outside = lives.add(1);
  lives.step();
  lives.open_loop();
  lives.use(outside);
  lives.step();
  const int inside = lives.add(1);
  lives.step();
  lives.use(inside);
  lives.close_loop({}, {});
  CHECK(lives.peak() == 2);
}

TEST_CASE("a variable that a loop assigns is one register") {
  Lifetimes lives;
  const int before = lives.add(1);
  lives.step();
  lives.open_loop();
  lives.use(before);
  lives.step();
  const int after = lives.add(1);
  lives.step();
  lives.step();
  lives.close_loop({before}, {after});
  CHECK(lives.peak() == 1);
}

TEST_CASE("what a loop does not change is made in front of it, and its operands end there") {
  Lifetimes lives;
  const int a = lives.add(4);
  lives.step();
  lives.open_loop();
  lives.step();
  REQUIRE(lives.outermost_without({a}) == 0);
  lives.use_before(0, a);
  const int product = lives.add_before(0, 1);
  lives.use(product);
  const int inside = lives.add(6);
  CHECK(lives.outermost_without({a, inside}) == 1);
  lives.step();
  lives.use(inside);
  lives.close_loop({}, {});
  CHECK(lives.peak() == 7);
}

TEST_CASE("what a guard may leave unwritten is there in the whole loop") {
  Lifetimes lives;
  lives.step();
  lives.open_loop();
  const int before = lives.add(8);  // gone when the guard comes
  lives.step();
  lives.use(before);
  lives.step();
  const int home = lives.add_through(0, 4);
  lives.step();
  lives.use(home);
  lives.step();
  lives.close_loop({}, {});
  CHECK(lives.peak() == 12);
}

TEST_CASE("what a loop does not change takes no more than its share") {
  Lifetimes lives;
  lives.step();
  lives.open_loop();
  lives.step();
  lives.use(lives.add_before(0, 20));
  const int inside = lives.add(3);
  lives.step();
  lives.use(inside);
  lives.close_loop({}, {});
  CHECK(lives.peak() == 23);
  CHECK(lives.peak(16) == 19);
}
