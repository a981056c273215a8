# Decision values are sums whose last digits are rounding: they differ between one BLAS and another,
# and between machines. What lies closer together than that is a tie, and ties go to the first
# level. Every method marks its ties here, before labels, votes and probabilities are made.

# How far a sum of terms whose absolute values add up to `size` can be from the exact one: sums are
# made in blocks, so that few roundings lie on top of each other.
rounding_of <- function(size) 8 * .Machine$double.eps * size

# Values that cannot be told from 0, of a machine between two classes, become 0.
settle_signs <- function(decision, slack) {
  decision[which(abs(decision) <= slack)] <- 0
  decision
}

# Values that cannot be told from the largest of their row become it. `slack` has the shape of
# `decision` or one entry for each row. A single column is between two classes.
settle_rows <- function(decision, slack) {
  if (ncol(decision) == 1L) return(settle_signs(decision, slack))
  best <- cbind(seq_len(nrow(decision)), max.col(decision, ties.method = "first"))
  slack <- matrix(slack, nrow(decision), ncol(decision))
  top <- decision[best]
  near <- which(decision >= top - slack - slack[best])
  decision[near] <- rep(top, ncol(decision))[near]
  decision
}

# A bound on the values of a kernel between each row of x and all centers.
kernel_bound <- function(kernel, x, centers) {
  if (kernel$kernel %in% c("radial", "laplace")) return(rep(1, nrow(x)))
  longest <- sqrt(max(rowSums(centers^2), 0))
  products <- kernel$gamma * sqrt(rowSums(x^2)) * longest
  if (kernel$kernel == "linear") products else (products + abs(kernel$coef0))^kernel$degree
}

# What each row of a decision has from its intercept, and from targets of -1 and 1: where these
# cancel, the coefficients are themselves what rounding left of them.
target_rounding <- function(intercept, rows) {
  matrix(rep(rounding_of(1 + abs(intercept)), each = rows), rows, length(intercept))
}

# The rounding of K coef for each row, where no value of K is above the row's bound.
expansion_rounding <- function(bound, coef) rounding_of(outer(bound, colSums(abs(coef))))
