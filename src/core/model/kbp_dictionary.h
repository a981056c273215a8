// The dictionary of kernel basis pursuit (Guigue, Rakotomamonjy and Canu 2005, equations 8 and 9):
// kernels at the rows that are learned from, side by side, every column standardised. It is kept in
// single precision where the budget allows and computed again by panels of 16 columns otherwise.
#ifndef FLEXKERN_MODEL_KBP_DICTIONARY_H
#define FLEXKERN_MODEL_KBP_DICTIONARY_H

#include <memory>
#include <vector>

#include "core/device/cpu/pairwise.h"
#include "core/solver/sources.h"
#include "kbp_kernel.h"

namespace flexkern {

// A kernel of some columns of x, centered at the rows; or sources given by their values.
struct SourceBlock {
  SourceKernel kernel;
  std::vector<index_t> columns;
  ConstMatrixRef values;            // rows of the data x sources; no columns: a kernel
  std::vector<std::int32_t> owner;  // the row behind each given source, -1: none
  Role role = Role::source;
  // The intercept as a source: its values are 0, and the column is 1 / sqrt(n).
  bool intercept = false;
  bool given() const { return values.cols() > 0; }
};

// Rows that are learned from (weights with mean 1) and rows held out.
struct RowPlan {
  std::vector<index_t> rows, held;
  std::vector<double> weight;
};

class KbpDictionary : public Sources {
 public:
  KbpDictionary(ConstMatrixRef x, const std::vector<SourceBlock>& blocks, const RowPlan& plan,
                double memory, int threads, const Micro& micro, Context& context);
  ~KbpDictionary() override;

  index_t rows() const override { return n_; }
  index_t size() const override { return static_cast<index_t>(role_.size()); }
  Role role(index_t j) const override { return role_[static_cast<std::size_t>(j)]; }
  double square(index_t j) const override;
  const Micro& micro() const override { return micro_; }
  int threads() const override { return threads_; }
  void column(index_t j, double* out) const override;
  index_t held_rows() const override { return static_cast<index_t>(plan_.held.size()); }
  void held_column(index_t j, double* out) const override;
  void correlate(const double* in, index_t cols, float* out, Context& context) override;

  bool stored() const { return stored_; }
  index_t usable() const;  // sources that vary
  index_t block(index_t j) const { return block_of_panel_[static_cast<std::size_t>(j / kPanel)]; }
  // The row at which source j is centered, or its column in a given block.
  index_t place(index_t j) const { return place_[static_cast<std::size_t>(j)]; }
  double mean(index_t j) const { return mean_[static_cast<std::size_t>(j)]; }
  double scale(index_t j) const { return scale_[static_cast<std::size_t>(j)]; }

 private:
  struct Family;   // the kernels that share columns of x and the base quantity
  struct Scratch;  // of one thread
  struct Item {
    index_t family, panel;  // family -1: a given block, its panel in the whole
  };
  void lay_out();
  void add_panels(index_t block, const std::vector<index_t>& places);
  index_t family_of(index_t block);
  template <typename F>
  void for_panels(Context& context, F f);
  void fill_given(index_t panel, double* values) const;
  void learn_moments(index_t panel, const double* values);
  void standardise(index_t panel, const double* values, float* tile) const;
  void raw_column(index_t j, bool held, double* out) const;

  ConstMatrixRef x_;
  const std::vector<SourceBlock>& blocks_;
  const RowPlan& plan_;
  const Micro& micro_;
  index_t n_;
  int threads_;
  bool stored_ = false;
  std::vector<std::unique_ptr<Family>> families_;
  std::vector<index_t> family_of_block_, first_panel_, block_of_panel_, place_;
  std::vector<Item> items_;
  std::vector<Role> role_;
  std::vector<double> mean_, scale_, root_;
  Buffer<float> store_;
};

// Rows of x that differ from all earlier ones among `rows`.
std::vector<index_t> distinct_rows(ConstMatrixRef x, const std::vector<index_t>& rows);

}  // namespace flexkern

#endif
