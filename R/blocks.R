# Prediction block by block, so that its work memory stays within the budget.

smallest_block <- 256

# f of the rows in the form of the model, which gives one row each. A row's answer does not depend
# on its block. `extra` numbers are made of each row on the way; `held` names what stays throughout.
by_blocks <- function(object, x, memory, f, extra = 0, held = "the support vectors of a cell") {
  n <- nrow(x)
  size <- block_rows(object, x, memory, extra, held)
  if (n <= size) return(f(model_rows(object, x)))
  out <- NULL
  for (first in seq(1, n, by = size)) {
    rows <- seq(first, min(n, first + size - 1))
    part <- f(model_rows(object, x[rows, , drop = FALSE]))
    if (is.null(out)) out <- matrix(0, n, ncol(part), dimnames = list(NULL, colnames(part)))
    out[rows, ] <- part
  }
  out
}

# Held throughout: the packed vectors of the largest cell and the centers. For each row of a block:
# its scaled values, twice, and its answers.
block_rows <- function(object, x, memory, extra, what) {
  n <- nrow(x)
  sparse <- is_sparse(object$sv)
  answers <- ncol(object$coef)
  vector <- numbers_per_row(object$sv)
  held <- 8 * held_vectors(object) * (vector + answers + 1) +
    if (sparse) 8 * ncol(x) else 0
  row <- if (sparse) 1.5 * numbers_per_row(x) else vector
  each <- 8 * (2 * (row + answers) + 4 + extra)
  smallest <- min(n, smallest_block)
  needed <- held + smallest * each
  if (needed > memory) {
    abort("Prediction needs at least ", format_bytes(needed), " of memory (", what, " and ",
          smallest, plural(smallest, " row"), "), more than the budget of ",
          format_bytes(memory), "; raise `memory`.", arg = "memory")
  }
  size <- max(1, floor((memory - held) / each))
  # A dense block of sparse rows takes no more than the model's own vectors.
  if (is_sparse(x) && !sparse) min(size, max(nrow(object$sv), smallest_block)) else size
}

held_vectors <- function(object) {
  if (is.null(object$offset)) nrow(object$sv) else max(diff(object$offset)) + nrow(object$centers)
}
