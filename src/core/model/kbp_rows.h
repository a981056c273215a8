// A set of rows with its dictionary, ready to follow the path of any response.
#ifndef FLEXKERN_MODEL_KBP_ROWS_H
#define FLEXKERN_MODEL_KBP_ROWS_H

#include <memory>
#include <vector>

#include "core/solver/lars.h"
#include "kbp.h"

namespace flexkern {

class PursuedRows {
 public:
  // The rows outside the fold `left_out`; -1: all.
  PursuedRows(const KbpData& data, const KbpOptions& options, int left_out, double memory,
              int threads, const Micro& micro, Context& context);

  // A path with what it reads.
  struct Way {
    std::vector<double> response;
    HeldOut held;
    PathOptions options;
    std::unique_ptr<Follower> follower;
  };
  std::unique_ptr<Way> set_out(index_t response, PathOptions options);
  Path follow(index_t response, const PathOptions& options);
  // What the sources of these coefficients, without the mean, predict for the rows held out.
  std::vector<double> predict_held(const std::vector<index_t>& sources,
                                   const std::vector<double>& coef) const;
  // Of the response; exact where it is constant, so that its path is empty.
  double mean(index_t response) const;
  index_t size() const { return static_cast<index_t>(plan_.rows.size()); }
  const RowPlan& plan() const { return plan_; }
  const KbpDictionary& dictionary() const { return dictionary_; }

 private:
  std::vector<index_t> time_order() const;

  const KbpData& data_;
  const KbpOptions& options_;
  Context& context_;
  RowPlan plan_;
  KbpDictionary dictionary_;
  GramCache cache_;
};

}  // namespace flexkern

#endif
