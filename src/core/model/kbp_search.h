// The bound of a rule by cross-validation: the folds' paths beside each other, as far as it takes.
#ifndef FLEXKERN_MODEL_KBP_SEARCH_H
#define FLEXKERN_MODEL_KBP_SEARCH_H

#include <memory>
#include <vector>

#include "kbp_choice.h"
#include "kbp_rows.h"

namespace flexkern {

using FoldRows = std::vector<std::unique_ptr<PursuedRows>>;

class BoundSearch {
 public:
  BoundSearch(const FoldRows& folds, const KbpData& data, const KbpOptions& options,
              index_t response, Context& context);
  // Fills bound, grid and risk.
  void run(KbpPath& out);
  // Predictions, without the mean, of a fold's model at the chosen bound for its held-out rows.
  std::vector<double> held_out(std::size_t fold, double bound) const;

 private:
  void advance(index_t steps);
  void evaluate(KbpPath& out);
  bool settled(const KbpPath& out) const;
  std::vector<double> grid() const;
  double longest() const;
  Place place(std::size_t fold, double bound) const;
  const Follower& follower(std::size_t fold) const { return *ways_[fold]->follower; }

  const FoldRows& folds_;
  const KbpOptions& options_;
  Context& context_;
  std::vector<std::unique_ptr<PursuedRows::Way>> ways_;
  double weight_ = 0;                    // of all rows
  bool all_decided_ = false;             // no bound of the grid lies beyond an open end
  std::size_t taken_ = 0, at_best_ = 0;  // breakpoints of all folds, and up to the best bound
};

}  // namespace flexkern

#endif
