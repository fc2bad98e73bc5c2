// SPDX-License-Identifier: Apache-2.0
// Reading and writing .npy files. The header is a Python dictionary of three entries.
#include "interp/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

namespace tessera::interp {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Spelling {
  std::string_view text;
  DType dtype;
};

/// The first row of a type is the one that is written; the others are read.
constexpr Spelling kSpellings[] = {
    {"<f2", DType::f16},   {"<f4", DType::f32},  {"<f8", DType::f64},      {"|b1", DType::boolean},
    {"|i1", DType::i8},    {"<i2", DType::i16},  {"<i4", DType::i32},      {"<i8", DType::i64},
    {"|u1", DType::u8},    {"<u2", DType::u16},  {"<u4", DType::u32},      {"<u8", DType::u64},
    {"<i8", DType::index}, {"<u2", DType::bf16}, {"|u1", DType::fp8_e4m3}, {"|u1", DType::fp8_e5m2},
    {"<i1", DType::i8},    {"<u1", DType::u8},   {"<b1", DType::boolean}};

std::string_view npy_spelling(DType dtype) {
  for (const Spelling& row : kSpellings) {
    if (row.dtype == dtype) return row.text;
  }
  return "|V1";
}

std::optional<DType> dtype_from_npy(std::string_view text) {
  for (const Spelling& row : kSpellings) {
    if (row.text == text) return row.dtype;
  }
  return std::nullopt;
}

struct Header {
  std::string_view dictionary;
  size_t data_begin = 0;
};

/// Finds the dictionary behind the magic bytes, the version and the length.
std::variant<Header, std::string> split(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < kMagic.size() + 4) return "not a .npy file";
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  const size_t major = byte(6);
  if (major != 1 && major != 2) return fmt::format("version {} of the format; 1 and 2 are read", major);
  const size_t prefix = major == 1 ? 10 : 12;
  if (bytes.size() < prefix) return "the header is cut off";
  size_t length = byte(8) | byte(9) << 8;
  if (major == 2) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - prefix) return "the header is cut off";
  return Header{bytes.substr(prefix, length), prefix + length};
}

/// The text behind `'key':` in the dictionary, from the first character that is not blank.
std::optional<std::string_view> entry(std::string_view dictionary, std::string_view key) {
  const size_t begin = dictionary.find(fmt::format("'{}'", key));
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t colon = dictionary.find(':', begin);
  if (colon == std::string_view::npos) return std::nullopt;
  const size_t value = dictionary.find_first_not_of(' ', colon + 1);
  if (value == std::string_view::npos) return std::nullopt;
  return dictionary.substr(value);
}

std::variant<DType, std::string> read_dtype(std::string_view dictionary) {
  const std::optional<std::string_view> value = entry(dictionary, "descr");
  if (!value || value->front() != '\'') return "the header has no plain 'descr'";
  const std::string_view text = value->substr(1, value->find('\'', 1) - 1);
  const std::optional<DType> dtype = dtype_from_npy(text);
  if (!dtype) return fmt::format("elements of type '{}', which is not one of the element types", text);
  return *dtype;
}

std::variant<std::vector<int64_t>, std::string> read_shape(std::string_view dictionary) {
  const std::optional<std::string_view> value = entry(dictionary, "shape");
  const size_t end = value ? value->find(')') : std::string_view::npos;
  if (!value || value->front() != '(' || end == std::string_view::npos) return "the header has no 'shape'";
  std::string_view list = value->substr(1, end - 1);
  std::vector<int64_t> extents;
  while (true) {
    const size_t begin = list.find_first_not_of(", ");
    if (begin == std::string_view::npos) return extents;
    list.remove_prefix(begin);
    int64_t extent = 0;
    const auto [stop, error] = std::from_chars(list.data(), list.data() + list.size(), extent);
    if (error != std::errc() || extent < 0) return "the 'shape' of the header cannot be read";
    extents.push_back(extent);
    list.remove_prefix(static_cast<size_t>(stop - list.data()));
  }
}

/// Bytes of an array of that shape, if they can be counted.
std::optional<size_t> byte_count(DType dtype, const std::vector<int64_t>& extents) {
  size_t bytes = size_in_bytes(dtype);
  for (const int64_t extent : extents) {
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(extent), &bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace

std::variant<Array, std::string> parse_npy(const std::string& bytes) {
  const std::variant<Header, std::string> found = split(bytes);
  if (const auto* sentence = std::get_if<std::string>(&found)) return *sentence;
  const Header& header = std::get<Header>(found);
  const std::optional<std::string_view> order = entry(header.dictionary, "fortran_order");
  if (!order) return "the header has no 'fortran_order'";
  if (order->substr(0, 5) != "False") return "the array is in Fortran order; save numpy.ascontiguousarray(a)";
  const auto dtype = read_dtype(header.dictionary);
  if (const auto* sentence = std::get_if<std::string>(&dtype)) return *sentence;
  auto extents = read_shape(header.dictionary);
  if (const auto* sentence = std::get_if<std::string>(&extents)) return *sentence;
  Array array{std::get<DType>(dtype), std::get<std::vector<int64_t>>(std::move(extents)), {}};
  const std::optional<size_t> needed = byte_count(array.dtype, array.extents);
  const size_t present = bytes.size() - header.data_begin;
  if (needed != present) {
    return fmt::format("{} bytes of elements where the header asks for {}", present,
                       needed ? fmt::format("{}", *needed) : "more than can be counted");
  }
  array.data.resize(present);
  if (present != 0) std::memcpy(array.data.data(), bytes.data() + header.data_begin, present);
  if (array.dtype == DType::boolean) {
    for (std::byte& element : array.data) element = std::byte{element != std::byte{0}};
  }
  return array;
}

std::string format_npy(const Array& array) {
  std::string shape;
  for (const int64_t extent : array.extents) shape += fmt::format("{}, ", extent);
  if (array.extents.size() > 1) shape.resize(shape.size() - 2);  // (3,) keeps its comma, (3, 4) has none
  if (array.extents.size() == 1) shape.pop_back();
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                       npy_spelling(array.dtype), shape);
  // Data begins at a multiple of 64 bytes; the header ends with a line break.
  const size_t prefix = kMagic.size() + 4;
  dictionary.append(63 - (prefix + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xff),
            static_cast<char>(dictionary.size() >> 8)};
  bytes += dictionary;
  bytes.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
  return bytes;
}

std::variant<Array, std::string> read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fmt::format("cannot open `{}`", path);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::variant<Array, std::string> result = parse_npy(bytes);
  if (auto* sentence = std::get_if<std::string>(&result))
    *sentence = fmt::format("`{}`: {}", path, *sentence);
  return result;
}

std::optional<std::string> write_npy(const std::string& path, const Array& array) {
  std::ofstream file(path, std::ios::binary);
  const std::string bytes = format_npy(array);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) return fmt::format("cannot write `{}`", path);
  return std::nullopt;
}

std::variant<Array, std::string> reinterpreted(Array array, DType dtype) {
  if (array.dtype != dtype && npy_spelling(array.dtype) != npy_spelling(dtype)) {
    return fmt::format("elements of type {} where {} is expected", spelling(array.dtype), spelling(dtype));
  }
  array.dtype = dtype;
  return array;
}

}  // namespace tessera::interp
