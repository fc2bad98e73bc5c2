// SPDX-License-Identifier: Apache-2.0
// .npy files: every type there and back, and what is refused.
#include <cstdio>

#include "catch.h"
#include "interp/npy.h"
#include "interp/runs.h"

namespace tessera::interp {

namespace {

std::string file(const std::string& dictionary, const std::string& data, char major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {major, '\0', static_cast<char>(dictionary.size()), '\0'};
  if (major == 2) bytes += std::string(2, '\0');
  return bytes + dictionary + data;
}

std::string refusal(const std::string& bytes) {
  const std::variant<Array, std::string> result = parse_npy(bytes);
  REQUIRE(std::holds_alternative<std::string>(result));
  return std::get<std::string>(result);
}

}  // namespace

TEST_CASE("arrays of every type come back, bf16 and fp8 as their bits") {
  const std::vector<std::vector<int64_t>> shapes = {{}, {0}, {5}, {2, 3}, {2, 0, 3}, {1, 2, 3, 4}};
  for (const DTypeInfo& row : all_dtypes()) {
    if (is_packed(row.dtype)) continue;
    for (const std::vector<int64_t>& shape : shapes) {
      INFO(row.spelling);
      const Array array = testing::random_array(row.dtype, shape, 0, 2);
      const std::string bytes = format_npy(array);
      REQUIRE(bytes.find('\n') % 64 == 63);
      auto read = parse_npy(bytes);
      REQUIRE(std::holds_alternative<Array>(read));
      auto same = reinterpreted(std::get<Array>(std::move(read)), row.dtype);
      REQUIRE(std::holds_alternative<Array>(same));
      REQUIRE(std::get<Array>(same).extents == array.extents);
      REQUIRE(std::get<Array>(same).data == array.data);
    }
  }
}

TEST_CASE("headers as other writers make them") {
  const std::string data(8, '\1');
  const auto shape = [&](const std::string& dictionary, char major = 1) {
    const auto read = parse_npy(file(dictionary, data, major));
    REQUIRE(std::holds_alternative<Array>(read));
    return std::get<Array>(read).extents;
  };
  REQUIRE(shape("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n") == std::vector<int64_t>{2});
  REQUIRE(shape("{'shape':(2,1),'fortran_order':False,'descr':'<f4'}", 2) == std::vector<int64_t>{2, 1});
  REQUIRE(shape("{'descr': '<f8', 'fortran_order': False, 'shape': (), }").empty());
}

TEST_CASE("what is not such a file is refused with the reason") {
  const std::string data(8, '\0');
  CHECK(refusal("") == "not a .npy file");
  CHECK(refusal("PK\3\4 and so on") == "not a .npy file");
  CHECK(refusal(file("{}", data, 3)) == "version 3 of the format; 1 and 2 are read");
  CHECK(refusal(std::string("\x93NUMPY\x01\x00\xff\xff", 10)) == "the header is cut off");
  CHECK(refusal(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", data)) ==
        "the array is in Fortran order; save numpy.ascontiguousarray(a)");
  CHECK(refusal(file("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", data)) ==
        "elements of type '>f4', which is not one of the element types");
  CHECK(refusal(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", data)) ==
        "the header has no plain 'descr'");
  CHECK(refusal(file("{'descr': '<f4', 'fortran_order': False}", data)) == "the header has no 'shape'");
  CHECK(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", data)) ==
        "the 'shape' of the header cannot be read");
  CHECK(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", data)) ==
        "8 bytes of elements where the header asks for 12");
  CHECK(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", data)) ==
        "8 bytes of elements where the header asks for more than can be counted");
}

TEST_CASE("an array is not taken for another type") {
  const auto result = reinterpreted(testing::random_array(DType::f32, {2}), DType::bf16);
  REQUIRE(std::get<std::string>(result) == "elements of type f32 where bf16 is expected");
}

TEST_CASE("files are written and read") {
  const std::string path = std::tmpnam(nullptr);
  const Array array = testing::random_array(DType::i32, {3, 4}, -100, 100);
  REQUIRE_FALSE(write_npy(path, array));
  const auto read = read_npy(path);
  REQUIRE(std::holds_alternative<Array>(read));
  REQUIRE(std::get<Array>(read).data == array.data);
  std::remove(path.c_str());
  REQUIRE(std::get<std::string>(read_npy(path)) == "cannot open `" + path + "`");
  REQUIRE(write_npy("/no such folder/a.npy", array) == "cannot write `/no such folder/a.npy`");
}

}  // namespace tessera::interp
