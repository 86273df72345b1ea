// NVIDIA's XIDs: faults, the program's own, links of another GPU, information.
#include "policy/demystify/signatures/xids.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct XidCase {
  const char* name;
  const char* log;
  XidEffect effect;
};

constexpr XidCase kXidsCases[] = {
    {"None", "exit status 79", XidEffect::kNone},
    {"OffTheBus", "NVRM: Xid (PCI:0000:65:00): 79, pid=12", XidEffect::kGpu},
    {"Unused", "NVRM: Xid (PCI:0000:65:00): 90, pid=12", XidEffect::kNone},
    {"RetiredPageIsInformation", "NVRM: Xid (PCI:0000:65:00): 63, pid=12",
     XidEffect::kInformation},
    {"SingleBitErrorsAreInformation", "Xid 92", XidEffect::kInformation},
    {"RecoveryActionIsInformation", "NVRM: Xid (PCI:0000:65:00): 154, GPU",
     XidEffect::kInformation},
    {"PageFaultIsTheProgram", "NVRM: Xid (PCI:0000:65:00): 31, pid=12",
     XidEffect::kProgram},
    {"TheWorstOfSeveral",
     "NVRM: Xid (PCI:0000:65:00): 45, pid=1\nNVRM: Xid (PCI:0000:65:00): 48",
     XidEffect::kGpu},
    {"WithAnEqualsSign", "XID=48", XidEffect::kGpu},
    {"InParentheses", "xid(79) of a gpu", XidEffect::kGpu},
    {"BehindAnAddress", "xid :=: (a) 79", XidEffect::kGpu},
    {"AfterSomethingOtherThanAnAddress", "xid (gpu 79", XidEffect::kGpu},
    {"BehindAnAddressWithoutEnd", "xid (gpu\n) 79", XidEffect::kNone},
    {"BehindALongAddress",
     "xid (123456789012345678901234567890123456789012) 79", XidEffect::kNone},
    {"OfFourDigits", "xid 7979", XidEffect::kNone},
    {"InAWord", "xid 79x, xid79, a_xid 79, xid_79", XidEffect::kNone},
    {"OnAnotherLine", "xid\n79", XidEffect::kNone},
    {"FarAway", "xid of the graphics processor is 79", XidEffect::kNone},
    {"TheFirstOfALine", "xid 45 and xid 79", XidEffect::kInformation},
    {"BehindOneWithoutNumber", "xid 1234 and then xid 79", XidEffect::kGpu},
    {"NvLink", "NVRM: Xid (PCI:0000:b3:00): 74, pid=1", XidEffect::kLink},
    {"NvLink5Fatal",
     "NVRM: Xid (PCI:0009:01:00): 145, RLW_REMAP  Fatal  XC0 i0 Link 03 "
     "(0x00000082 0x00000040)",
     XidEffect::kLink},
    {"NvLink5NonfatalIsInformation",
     "NVRM: Xid (PCI:0009:01:00): 145, RLW_REMAP  Nonfatal XC0 i0 Link 03 "
     "(0x00000082 0x00000100)",
     XidEffect::kInformation},
    {"NvLink5Down",
     "NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 09 "
     "(0x004505c6 0x00000000)",
     XidEffect::kLink},
    // Bits 20 to 25 are 100000: the other end is the source.
    {"NvLink5DownAtTheOtherEnd",
     "NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 09 "
     "(0x020001c6 0x00000000)",
     XidEffect::kRemoteLink},
};

class Xids : public ::testing::TestWithParam<XidCase> {};

TEST_P(Xids, AreReadByNumberSeverityAndReason) {
  EXPECT_EQ(WorstXid(GetParam().log).effect, GetParam().effect);
}

INSTANTIATE_TEST_SUITE_P(All, Xids, ::testing::ValuesIn(kXidsCases),
                         [](const auto& row) { return row.param.name; });

TEST(XidsTest, InformationIsNotACause) {
  const v1::Diagnosis diagnosis = Diagnose(
      FailedPod(1, "Error", "NVRM: Xid (PCI:0000:65:00): 63, pid=12, retired"));
  EXPECT_EQ(diagnosis.cause(), v1::APP_ERROR);
}

// The GPU that saw the link go down is not the one to avoid.
TEST(XidsTest, TheReporterOfARemoteLinkIsNotTheCulprit) {
  v1::FailureReport report = FailedPod(
      1, "Error",
      "NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 09 "
      "(0x020001c6 0x00000000)");
  *report.add_pods() =
      FailedPod(1, "Error", "NVRM: Xid (PCI:0000:65:00): 79, pid=12").pods(0);
  report.mutable_pods(1)->mutable_metadata()->set_name("p-1");
  const v1::Diagnosis diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.culprit().pod(), "p-1");
  EXPECT_EQ(diagnosis.cause(), v1::GPU_FAULT);
}

TEST(XidInName, ReadsTheNumberOfADetectorsName) {
  EXPECT_EQ(XidInName("VendorXID79Error"), XidEffect::kGpu);
  EXPECT_EQ(XidInName("xid-31"), XidEffect::kProgram);
  EXPECT_EQ(XidInName("XidError"), XidEffect::kNone);
  EXPECT_EQ(XidInName("Ready"), XidEffect::kNone);
}

}  // namespace
}  // namespace mulligan::demystify
