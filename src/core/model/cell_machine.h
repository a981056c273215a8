// The machines of a cell: how they are searched for and solved, by linear systems under least
// squares and by their duals under other losses.
#ifndef FLEXKERN_MODEL_CELL_MACHINE_H
#define FLEXKERN_MODEL_CELL_MACHINE_H

#include <functional>
#include <memory>
#include <vector>

#include "cell.h"
#include "core/device/device.h"
#include "core/solver/refined.h"

namespace flexkern {

struct MachineTask {
  Points x;                         // the rows that train
  ConstMatrixRef responses;         // those that vary
  ConstMatrixRef weights;           // of each of them; no columns: those of the plan
  const std::vector<Loss>& losses;  // of each of them
  int lead;                         // the one that the grid is searched for; -1: all
  bool margin;                      // not all rows are the cell's own
  const CellOptions& options;
  const Device& device;
  std::uint64_t item;
  int threads;
  Context& context;
  std::function<void(double)> report;  // told which share of the search is done

  bool large() const { return x.rows() > options.search_rows; }
};

class CellMachine {
 public:
  using PairRisk = std::function<double(double gamma, double lambda)>;
  virtual ~CellMachine() = default;
  // Of the masks of a plan.
  virtual index_t stride() const = 0;
  virtual void search(const FoldPlan& plan, Surface& surface) = 0;
  // The risk of a pair by fold models on all rows of a large cell; about `expected`.
  virtual PairRisk pair_risk(const FoldPlan& plan, double expected) = 0;
  virtual Solution solve(const FoldPlan& plan, const Choice& choice) = 0;
};

std::unique_ptr<CellMachine> make_linear_machine(const MachineTask& task);
std::unique_ptr<CellMachine> make_dual_machine(const MachineTask& task);

}  // namespace flexkern

#endif
