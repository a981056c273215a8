#' The cross-validation table of a fit
#'
#' The cross-validated error of every parameter pair that a fit looked at, drawn by
#' `plot(type = "cv")`.
#'
#' @param object A model made by [vpsvm()] or [kbp()].
#' @param cell The numbers of cells to keep; by default all.
#' @param ... Nothing: an unknown argument is an error.
#' @return A data frame. Of [vpsvm()] it has one row per cell and pair: `cell`, `gamma`, `lambda`,
#'   `error` (the mean loss on the scale of \eqn{[-1, 1]}, for the hinge nearly the share of wrong
#'   labels; `NA` where `search = "race"` dropped the pair
#'   early), `rows` (the number of rows that the error was computed on: in a large
#'   cell those of the sample, or all of the cell) and `selected`. With several levels, or pairs of
#'   weights, there is a row for each of them, named in the column `tau` or `class.weights`. A race
#'   searches for the level nearest 0.5, so that the errors of the others are `NA` but for the
#'   selected pair; `search = "full"` computes all. In a large cell, pairs that were tried on all
#'   rows have one row for all pairs of weights, where `class.weights` is `NA`. Of [kbp()] one row
#'   per response and bound: `response`, `bound`, `error` and `selected`.
#' @seealso [plot.vpsvm()], [plot.kbp()]
#' @examples
#' fit <- vpsvm(Species ~ ., data = iris, gamma = c(0.1, 1), lambda = 10^-(2:4), seed = 1)
#' cv_table(fit)
#' @export
cv_table <- function(object, ...) UseMethod("cv_table")

#' @rdname cv_table
#' @export
cv_table.vpsvm <- function(object, cell = NULL, ...) {
  check_dots(list(...), c("object", "cell"), "cv_table")
  check_sound(object)
  cells <- seq_along(object$grid)
  if (!is.null(cell) && !(is.numeric(cell) && all(cell %in% cells))) {
    abort_arg("cell", cell, paste("numbers of cells, from 1 to", length(cells)))
  }
  if (object$folds == 0) abort("The model was fitted without cross-validation; refit it with ",
                               "`folds`, as folds = 5.", arg = "object")
  do.call(rbind, lapply(as.integer(cell %||% cells), function(j) cell_table(object, j)))
}

cell_table <- function(object, cell) {
  grid <- object$grid[[cell]]
  pairs <- expand.grid(gamma = grid$gamma, lambda = grid$lambda)
  error <- as.vector(ifelse(grid$settled, grid$risk, NA))
  rows <- (object$search.rows %||% object$cell.size)[cell]
  if (length(error) == 0L) pairs <- pairs[0L, ]
  out <- rbind(cbind(pairs, error = error, rows = rep(rows, length(error))),
               tried_pairs(grid$tried, object$cell.size[cell]))
  chosen <- data.frame(gamma = object$gamma[cell], lambda = object$lambda[cell])
  at <- same_pair(out, chosen)
  # A pair between those of the grid, and one that was not searched for.
  if (!any(at)) {
    out <- rbind(out, cbind(chosen, error = object$cv.risk[cell], rows = object$cell.size[cell]))
    at <- c(at, TRUE)
  }
  out <- cbind(cell = rep(cell, nrow(out)), out, selected = at & out$rows == max(out$rows[at]))
  if (!is.null(object$own.risk)) out <- by_answer(out, object, cell)
  rownames(out) <- NULL
  out
}

# A row per pair and level or pair of weights; NA where the search computed no error. The pairs that
# a large cell tried on all rows have the error of one level, or that over all pairs of weights.
by_answer <- function(table, object, cell) {
  levels <- length(object$tau) > 1L
  answers <- if (levels) object$tau else rownames(object$class.weights)
  known <- matrix(NA_real_, nrow(table), length(answers))
  each <- object$grid[[cell]]$each
  known[seq_len(NROW(each)), ] <- ifelse(is.nan(each), NA, each)
  known[table$selected, ] <- object$own.risk[rep(cell, sum(table$selected)), ]
  over_all <- rowSums(!is.na(known)) == 0L & !is.na(table$error)
  if (levels) known[over_all, leading_level(object$tau)] <- table$error[over_all]
  out <- table[rep(seq_len(nrow(table)), each = length(answers)), ]
  out$error <- as.vector(t(known))
  out <- cbind(out[1:3], answer = rep(answers, nrow(table)), out[4:6])
  if (!levels) {
    whole <- rep(over_all, each = length(answers))
    more <- cbind(table[over_all, 1:3], answer = rep(NA_character_, sum(over_all)),
                  table[over_all, 4:6])
    out <- rbind(out[!whole, ], more)
  }
  names(out)[4L] <- if (levels) "tau" else "class.weights"
  out
}

tried_pairs <- function(tried, rows) {
  if (NROW(tried) == 0L) return(NULL)
  data.frame(gamma = tried[, "gamma"], lambda = tried[, "lambda"], error = tried[, "risk"],
             rows = rows)
}

same_pair <- function(pairs, chosen) {
  near <- function(a, b) abs(a - b) <= 1e-9 * b
  near(pairs$gamma, chosen$gamma) & near(pairs$lambda, chosen$lambda)
}

#' @rdname cv_table
#' @export
cv_table.kbp <- function(object, ...) {
  check_dots(list(...), "object", "cv_table")
  check_sound(object)
  tables <- lapply(seq_along(object$grid), function(j) {
    grid <- object$grid[[j]]
    if (nrow(grid) == 0L) return(NULL)
    data.frame(response = j, bound = grid$bound, error = grid$cv.error,
               selected = grid$bound == object$bound[j])
  })
  do.call(rbind, tables) %||%
    abort("The bound was not cross-validated; there is no table.", arg = "object")
}
