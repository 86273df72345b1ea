#include "server/net/address.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/param_name.h"

namespace mulligan {
namespace {

struct AddressCase {
  const char* name;
  std::string text;
  bool local;
};

class ValidAddressTest : public ::testing::TestWithParam<AddressCase> {};

TEST_P(ValidAddressTest, RoundTripsAndKnowsWhetherItIsLocal) {
  const auto address = ParseAddress(GetParam().text);
  ASSERT_TRUE(address.has_value());
  EXPECT_EQ(FormatAddress(*address), GetParam().text);
  EXPECT_EQ(IsLocal(*address), GetParam().local);
}

INSTANTIATE_TEST_SUITE_P(
    All, ValidAddressTest,
    ::testing::Values(
        AddressCase{"Loopback", "127.0.0.1:8980", true},
        AddressCase{"LoopbackRange", "127.8.9.10:1", true},
        AddressCase{"AnyInterface", "0.0.0.0:8980", false},
        AddressCase{"PodAddress", "10.0.0.7:8980", false},
        AddressCase{"Ipv6Loopback", "[::1]:0", true},
        AddressCase{"Ipv6Any", "[::]:8980", false},
        AddressCase{"Localhost", "localhost:65535", true},
        // Resolves to whatever DNS says.
        AddressCase{"LooksLikeLocalhost", "localhost.example:80", false},
        AddressCase{"LooksLikeLoopback", "127.0.0.1.example:80", false},
        AddressCase{"UnixSocket", "unix:/run/m.sock", true}),
    [](const auto& param) { return param.param.name; });

class InvalidAddressTest : public ::testing::TestWithParam<const char*> {};

TEST_P(InvalidAddressTest, IsRefused) {
  EXPECT_FALSE(ParseAddress(GetParam()).has_value());
}

INSTANTIATE_TEST_SUITE_P(
    All, InvalidAddressTest,
    ::testing::Values("", ":8980", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                      "127.0.0.1:-1", "127.0.0.1:80x", "::1:80", "[::1]80",
                      "[nope]:80", "http://a:80", "a b:80", "unix:", "a:1,b:2",
                      "[:80"),
    [](const auto& row) { return ParamName(row.index, row.param); });

}  // namespace
}  // namespace mulligan
