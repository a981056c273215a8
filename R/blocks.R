# Prediction block by block, so that its work memory stays within the budget.

smallest_block <- 256

# f of the scaled rows, which gives one row each. A row's answer does not depend on its block.
by_blocks <- function(object, x, memory, f) {
  n <- nrow(x)
  size <- block_rows(object, n, memory)
  if (n <= size) return(f(apply_scaling(x, object$scaling)))
  out <- NULL
  for (first in seq(1, n, by = size)) {
    rows <- seq(first, min(n, first + size - 1))
    part <- f(apply_scaling(x[rows, , drop = FALSE], object$scaling))
    if (is.null(out)) out <- matrix(0, n, ncol(part), dimnames = list(NULL, colnames(part)))
    out[rows, ] <- part
  }
  out
}

# Held throughout: the packed vectors of the largest cell and the centers. For each row of a block:
# its scaled values, twice, and its answers.
block_rows <- function(object, n, memory) {
  columns <- ncol(object$sv) + ncol(object$coef)
  held <- 8 * (max(diff(object$offset)) + nrow(object$centers)) * (columns + 1)
  each <- 8 * (2 * columns + 4)
  smallest <- min(n, smallest_block)
  needed <- held + smallest * each
  if (needed > memory) {
    abort("Prediction needs at least ", format_bytes(needed), " of memory (the support vectors of ",
          "a cell and ", smallest, plural(smallest, " row"), "), more than the budget of ",
          format_bytes(memory), "; raise `memory`.", arg = "memory")
  }
  max(1, floor((memory - held) / each))
}
