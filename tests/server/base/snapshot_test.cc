#include "server/policies/snapshot.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace mulligan {
namespace {

std::shared_ptr<const Snapshot> Numbered(int number) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->last_error = std::to_string(number);
  return snapshot;
}

TEST(SnapshotStoreTest, ReadsTheLastPublished) {
  SnapshotStore store(Numbered(1));
  EXPECT_EQ(store.Read().last_error, "1");
  store.Publish(Numbered(2));
  EXPECT_EQ(store.Read().last_error, "2");
}

TEST(SnapshotStoreTest, StoresDoNotMixOnOneThread) {
  const SnapshotStore first(Numbered(1));
  const SnapshotStore second(Numbered(2));
  EXPECT_EQ(first.Read().last_error, "1");
  EXPECT_EQ(second.Read().last_error, "2");
  EXPECT_EQ(first.Read().last_error, "1");
}

TEST(SnapshotStoreTest, OldSnapshotLivesUntilTheThreadReadsAgain) {
  auto old = Numbered(1);
  const std::weak_ptr<const Snapshot> watch = old;
  SnapshotStore store(std::move(old));
  const Snapshot& in_use = store.Read();
  store.Publish(Numbered(2));
  ASSERT_FALSE(watch.expired());
  EXPECT_EQ(in_use.last_error, "1");
  store.Read();
  EXPECT_TRUE(watch.expired());
}

TEST(SnapshotStoreTest, ReadersNeverGoBackWhileAWriterPublishes) {
  constexpr int kPublished = 2000;
  SnapshotStore store(Numbered(0));
  std::atomic<bool> went_back = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      int last = 0;
      while (last < kPublished) {
        const int now = std::stoi(store.Read().last_error);
        if (now < last) went_back = true;
        last = now;
      }
    });
  }
  for (int i = 1; i <= kPublished; ++i) store.Publish(Numbered(i));
  for (std::thread& reader : readers) reader.join();
  EXPECT_FALSE(went_back);
}

}  // namespace
}  // namespace mulligan
