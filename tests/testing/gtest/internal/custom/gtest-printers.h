// gtest's own place for printers: its gtest-printers.h includes the file of
// this name that it finds first, and tests look below tests/testing/.
//
// A row of a table has a name. Without this gtest says "40-byte object <...>"
// of it wherever a test fails.
#ifndef GOOGLETEST_INCLUDE_GTEST_INTERNAL_CUSTOM_GTEST_PRINTERS_H_
#define GOOGLETEST_INCLUDE_GTEST_INTERNAL_CUSTOM_GTEST_PRINTERS_H_

#include <concepts>
#include <ostream>
#include <string_view>

namespace mulligan_rows {

// Found by the type's namespace alone: here is no other.
template <typename T>
concept HasPrinter = requires(const T& value, std::ostream& out) {
  PrintTo(value, &out);
}
|| requires(const T& value, std::ostream& out) { out << value; };

template <typename T>
concept Text = std::convertible_to<T, std::string_view>;

// What a row is called: its name, else the text or file that it is about.
template <typename T>
requires requires(const T& row) {
  { row.name } -> Text;
}
std::string_view NameOfRow(const T& row) { return row.name; }
template <typename T>
requires(!requires(const T& row) { row.name; }) && requires(const T& row) {
  { row.text } -> Text;
}
std::string_view NameOfRow(const T& row) { return row.text; }
template <typename T>
requires(!requires(const T& row) { row.name; }) && requires(const T& row) {
  { row.file } -> Text;
}
std::string_view NameOfRow(const T& row) { return row.file; }

template <typename T>
concept NamedRow = !HasPrinter<T> && requires(const T& row) {
  NameOfRow(row);
};

}  // namespace mulligan_rows

namespace testing::internal {

template <typename T>
class UniversalPrinter;

template <mulligan_rows::NamedRow T>
class UniversalPrinter<T> {
 public:
  static void Print(const T& row, std::ostream* out) {
    *out << mulligan_rows::NameOfRow(row);
  }
};

}  // namespace testing::internal

#endif  // GOOGLETEST_INCLUDE_GTEST_INTERNAL_CUSTOM_GTEST_PRINTERS_H_
