// The three parts of the training data and the machines between them, for learning weights.
#ifndef FLEXKERN_MODEL_HG_PARTS_H
#define FLEXKERN_MODEL_HG_PARTS_H

#include <memory>
#include <vector>

#include "core/base/stopwatch.h"
#include "hg_learn.h"

namespace flexkern {

// Rows with storage of their own.
struct HgRows {
  HgRows(const HgData& data, const std::vector<index_t>& rows);
  ConstMatrixRef x() const { return {values.data(), size, columns}; }
  ConstMatrixRef y() const { return {labels.data(), size, responses}; }
  index_t size, columns, responses;
  std::vector<double> values, labels, weights;
};

struct HgMachine {
  double gamma = 1, lambda = 0;
  std::vector<double> coef;       // rows of the first part x responses
  std::vector<double> intercept;  // of responses
};

class HgParts {
 public:
  HgParts(const HgData& data, const HgOptions& options, const Device& device, std::uint64_t item,
          Context& context);
  index_t train() const { return train_; }
  const HgRows& learning() const { return learning_; }  // the first part, then the second
  ConstMatrixRef train_x() const {
    return {learning_.values.data(), train_, learning_.columns, learning_.size};
  }
  ConstMatrixRef validation_x() const {
    return {learning_.values.data() + train_, learning_.size - train_, learning_.columns,
            learning_.size};
  }
  // The best pair of the grid on the second part, or the machine at a given pair.
  HgMachine search(const Hierarchy& hierarchy) const;
  HgMachine solve(const Hierarchy& hierarchy, double gamma, double lambda) const;
  // Mean losses: of given decision values on the second part, as they are or clipped; of a machine
  // on the third part.
  double validation_risk(ConstMatrixRef decision, bool clipped) const;
  double test_risk(const Hierarchy& hierarchy, const HgMachine& machine) const;
  // The slope of the validation risk by each decision value.
  std::vector<double> slopes(ConstMatrixRef decision) const;

 private:
  HgMachine fit(const Hierarchy& hierarchy, const CellOptions& options) const;
  double risk(const HgRows& rows, index_t first, ConstMatrixRef decision, bool clipped) const;
  Loss loss(index_t response) const;

  const HgOptions& options_;
  const Device& device_;
  std::uint64_t item_;
  Context& context_;
  std::vector<std::vector<index_t>> parts_;
  index_t train_;
  HgRows learning_, test_;
};

// The width becomes a part of the top node's weights.
Hierarchy absorb_gamma(Hierarchy hierarchy, double gamma);

}  // namespace flexkern

#endif
