#' Plot a localized support vector machine
#'
#' @param x A model made by [vpsvm()].
#' @param type `"cv"`: the cross-validated error of one cell over the grid, with the selected pair
#'   (blank: dropped early by `search = "race"`, not computed to the end); `"cells"`: the sizes of
#'   the cells, and with two numeric columns the partition itself, drawn by the support vectors and
#'   the centers; `"fit"`: with one numeric column, the data and the fitted curve (or decision
#'   value), over the transformed values if the formula transforms the column; `"roc"`: for two
#'   classes, the ROC curve of the cross-validated decision values, or of new rows, with the area
#'   under it; the point is where the label changes. By default the first of `"cv"` and `"cells"`
#'   that the model has.
#' @param cell For `"cv"`, the number of the cell; by default the largest that was searched.
#' @param newdata,y For `"roc"`, new rows and their response, as in [roc_curve()].
#' @param ... Graphical parameters for the main plot.
#' @return `x`, invisibly.
#' @seealso [cv_table()] and [roc_curve()] for the numbers
#' @examples
#' fit <- vpsvm(Species ~ ., data = iris, seed = 1)
#' plot(fit)
#'
#' d <- vp_artificial("IV", 300, seed = 1)
#' plot(vpsvm(y ~ x1 + x2, data = d, radius = 0.7, gamma = 10, lambda = 1e-3), type = "cells")
#' @export
plot.vpsvm <- function(x, type = c("cv", "cells", "fit", "roc"), cell = NULL, newdata = NULL,
                       y = NULL, ...) {
  check_sound(x)
  searched <- x$folds > 0 && any(vapply(x$grid, has_surface, NA))
  type <- if (missing(type) && !searched) "cells" else
    check_choice(type, c("cv", "cells", "fit", "roc"), "type")
  if (type != "cv" && !is.null(cell)) {
    abort('`cell` belongs to type = "cv", not "', type, '".', arg = "cell")
  }
  if (type != "roc" && (!is.null(newdata) || !is.null(y))) {
    abort('`newdata` and `y` belong to type = "roc", not "', type, '".', arg = "newdata")
  }
  switch(type, cv = plot_cv(x, cell, ...), cells = plot_cells(x, ...), fit = plot_fit(x, ...),
         roc = plot_roc(x, newdata, y, ...))
  invisible(x)
}

has_surface <- function(grid) length(grid$risk) > 0L

plot_cv <- function(x, cell, ...) {
  check_args(cell = cell)
  if (x$folds == 0) abort("The model was fitted without a search; there is no error surface.",
                          arg = "type")
  searched <- vapply(x$grid, has_surface, NA)
  cell <- cell %||% which.max(if (any(searched)) x$cell.size * searched else x$cell.size)
  if (cell > length(x$grid)) {
    abort("`cell` must be at most ", length(x$grid), ", not ", cell, ".", arg = "cell")
  }
  grid <- x$grid[[cell]]
  if (!has_surface(grid)) {
    abort("Nothing was searched in cell ", cell, "; there is no error surface.", arg = "cell")
  }
  title <- paste0("Cross-validated error", if (length(x$grid) > 1L) paste(", cell", cell))
  if (min(dim(grid$risk)) > 1L) {
    return(plot_surface(grid, x$gamma[cell], x$lambda[cell], title, ...))
  }
  by_gamma <- nrow(grid$risk) > 1L
  values <- if (by_gamma) grid$gamma else grid$lambda
  args <- list(
    x = sort(values), y = grid$risk[order(values)], log = "x", type = "b",
    xlab = if (by_gamma) "gamma" else "lambda", ylab = cv_loss_name(x), main = title
  )
  do.call(graphics::plot.default, override(args, ...))
  graphics::abline(v = if (by_gamma) x$gamma[cell] else x$lambda[cell], lty = 2L)
}

cv_loss_name <- function(x) {
  loss <- x$loss %||% "least.squares"
  switch(loss, least.squares = "mean squared error", hinge = "misclassification",
         paste("mean", loss, "loss"))
}

plot_surface <- function(grid, gamma, lambda, title, ...) {
  rows <- order(grid$gamma)
  columns <- order(grid$lambda)
  risk <- log10(grid$risk[rows, columns])
  risk[!is.finite(risk) | !grid$settled[rows, columns]] <- NA
  args <- list(
    x = log10(grid$gamma[rows]), y = log10(grid$lambda[columns]), z = risk,
    col = grDevices::hcl.colors(64L, "YlGnBu"), main = title, xlab = "log10 gamma",
    ylab = "log10 lambda"
  )
  do.call(graphics::image.default, override(args, ...))
  if (sum(is.finite(risk)) > 3L && diff(range(risk, finite = TRUE)) > 0) {
    graphics::contour(args$x, args$y, risk, add = TRUE, col = "grey40", nlevels = 8L)
  }
  graphics::points(log10(gamma), log10(lambda), pch = 4L, lwd = 2L, cex = 1.5, col = "red")
}

plot_cells <- function(x, ...) {
  flat <- ncol(x$sv) == 2L && !any(x$blueprint$indicator)
  if (flat) return(plot_partition(x, ...))
  args <- list(height = sort(x$cell.size, decreasing = TRUE), main = "Cells", xlab = "cell",
               ylab = "rows", border = NA, col = "steelblue")
  do.call(graphics::barplot, override(args, ...))
}

plot_partition <- function(x, ...) {
  points <- undo_scaling(x$sv, x$scaling)
  m <- length(x$cell.size)
  colors <- grDevices::hcl.colors(max(m, 2L), "Dark 3")
  args <- list(x = points[, 1L], y = points[, 2L], col = colors[x$cell[x$index]], pch = 20L,
               xlab = x$blueprint$names[1L], ylab = x$blueprint$names[2L],
               main = paste(m, plural(m, "cell")))
  do.call(graphics::plot.default, override(args, ...))
  centers <- undo_scaling(x$centers, x$scaling)
  graphics::points(centers, pch = 3L, lwd = 2L)
}

plot_fit <- function(x, ...) {
  check_prediction(x, "decision", FALSE)
  columns <- length(x$blueprint$names)
  if (columns != 1L || any(x$blueprint$indicator)) {
    abort('type = "fit" needs a model with one numeric column; this one has ',
          if (any(x$blueprint$indicator)) "a factor" else paste(columns, "columns"), ".",
          arg = "type")
  }
  regression <- x$task == "regression"
  # Models of earlier versions have all rows among the vectors.
  at <- x$at %||% undo_scaling(x$sv, x$scaling)[, 1L]
  curve <- fit_curve(x, at)
  args <- if (regression) {
    rows <- if (is.null(x$at)) x$index else seq_along(at)
    list(x = at, y = (x$fitted + x$residuals)[rows], ylab = "response")
  } else {
    list(x = range(at), y = range(curve$y), type = "n", ylab = "decision value")
  }
  args <- c(args, list(xlab = x$blueprint$names, col = "grey60", pch = 20L, main = "Fit"))
  do.call(graphics::plot.default, override(args, ...))
  graphics::matlines(curve$x, curve$y, lty = 1L, lwd = 2L,
                     col = if (regression) "firebrick" else seq_len(NCOL(curve$y)) + 1L)
}

# On the design column itself, which a formula may have transformed.
fit_curve <- function(x, at) {
  line <- seq(min(at), max(at), length.out = 400L)
  options <- list(threads = resolve_threads(NULL), memory = resolve_memory(NULL),
                  isa = resolve_isa())
  decision <- core_predict(x, model_rows(x, matrix(line)), options)
  list(x = line, y = decision_answer(x, decision, "decision"))
}

# The user's graphical parameters win.
override <- function(args, ...) utils::modifyList(args, list(...))
