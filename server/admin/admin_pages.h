// The answers of the admin port, without HTTP.
#ifndef MULLIGAN_SERVER_ADMIN_ADMIN_PAGES_H_
#define MULLIGAN_SERVER_ADMIN_ADMIN_PAGES_H_

#include <string>
#include <string_view>

#include "server/admin/readiness.h"
#include "server/observe/metrics.h"
#include "server/policies/snapshot.h"

namespace mulligan {

inline constexpr char kPlainText[] = "text/plain; charset=utf-8";

struct AdminResponse {
  int status = 200;
  std::string content_type;
  std::string body;
};

// The read-only pages /metrics, /livez, /readyz, /policy and /buildinfo.
// Arguments must outlive it. Thread-safe.
class AdminPages {
 public:
  // `candidate` is null if there are no candidate policies.
  AdminPages(const Metrics& metrics, const SnapshotStore& snapshots,
             const Readiness& readiness,
             const SnapshotStore* candidate = nullptr)
      : metrics_(metrics),
        snapshots_(snapshots),
        readiness_(readiness),
        candidate_(candidate) {}

  // Returns 404 for other paths, 405 for methods other than GET and HEAD (for
  // which the transport omits the body).
  AdminResponse Handle(std::string_view method, std::string_view path) const;

 private:
  AdminResponse MetricsPage() const;
  AdminResponse LivePage() const;
  AdminResponse ReadyPage() const;
  // Used while only the certificate may prevent serving; names the problem.
  AdminResponse ServingPage() const;
  AdminResponse PolicyPage() const;
  AdminResponse BuildInfoPage() const;

  const Metrics& metrics_;
  const SnapshotStore& snapshots_;
  const Readiness& readiness_;
  const SnapshotStore* const candidate_;
};

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_ADMIN_ADMIN_PAGES_H_
