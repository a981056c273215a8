#' Print and summarise a localized support vector machine
#'
#' @param object,x A model made by [vpsvm()] or [hgsvm()], or its summary.
#' @param digits Significant digits.
#' @param ... Nothing: an unknown argument is an error.
#' @return `print` returns its argument. `summary` returns a list of class `summary.vpsvm` with,
#'   among others, `cells`, a data frame with one row per cell: `size`, `gamma`, `lambda`, `cv.risk`
#'   (mean loss on the scale of \eqn{[-1, 1]}), `iterations`, `converged`, and in `edge` the
#'   parameters that were chosen at an end of their values. Of an [hgsvm()] also the `architectures`
#'   that were tried and the columns' shares in the weights, `importance`.
#' @examples
#' fit <- vpsvm(Species ~ ., data = iris, seed = 1)
#' summary(fit)
#' @method summary vpsvm
#' @export
summary.vpsvm <- function(object, ...) {
  check_dots(list(...), "object", "summary")
  check_sound(object)
  cells <- data.frame(
    size = object$cell.size, gamma = object$gamma, lambda = object$lambda,
    cv.risk = object$cv.risk, iterations = object$iterations, converged = object$converged,
    gap = object$gap %||% NA_real_, edge = grid_edges(object)
  )
  head <- object[c("call", "task", "classes", "n", "blueprint", "partition", "radius", "overlap",
                   "cell.size", "kernel", "degree", "coef0", "gamma", "lambda", "cv.error", "folds",
                   "validation", "final", "search.rows", "converged", "gap", "grid", "grid.given")]
  head <- c(head, object[intersect(c(loss_parts, "nodes"), names(object))])
  out <- list(model = head, cells = cells, scaling = table(object$scaling$method),
              error = training_error(object), support = length(object$index),
              seconds = object$seconds, bytes = object$bytes, threads = object$threads)
  structure(out, class = "summary.vpsvm")
}

# Of each cell the parameters that were chosen at an end of their values, among some of them.
grid_edges <- function(object, of = c("gamma", "lambda")) {
  side <- function(chosen, values) {
    if (!is.numeric(values) || length(values) < 2L) return(0)
    (chosen >= max(values) * (1 - 1e-9)) - (chosen <= min(values) * (1 + 1e-9))
  }
  vapply(seq_along(object$gamma), function(cell) {
    grid <- if (cell <= length(object$grid)) object$grid[[cell]]
    if (!is.list(grid) || length(grid$risk) == 0L) return("")
    sides <- c(gamma = side(object$gamma[cell], grid$gamma),
               lambda = side(object$lambda[cell], grid$lambda))
    edge_words(of, sides[of])
  }, "")
}

#' @rdname summary.vpsvm
#' @method print vpsvm
#' @export
print.vpsvm <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  check_sound(x)
  print_model(x, digits)
  invisible(x)
}

print_model <- function(x, digits) {
  print_call(x$call)
  print_head(x, digits)
  cat("\n")
}

#' @rdname summary.vpsvm
#' @method print summary.vpsvm
#' @export
print.summary.vpsvm <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  print_model(x$model, digits)
  print_cells(x, digits)
  invisible(x)
}

# And what the fit took.
print_cells <- function(x, digits) {
  cat("Cells:\n")
  print_rows(x$cells, 20L, digits)
  seconds <- trimws(format(x$seconds, digits = 3L))
  learn <- if ("learn" %in% names(seconds)) paste0("weights ", seconds["learn"], "; ")
  print_tail(x, digits, paste0(
    seconds["total"], " on ", x$threads, plural(x$threads, " thread"), " (", learn,
    "summed over cells: search ", seconds["search"], ", solve ", seconds["solve"], ")"
  ))
  print_line("Support vectors", x$support)
  print_line("Work memory", format_bytes(x$bytes))
}

loss_parts <- c("loss", "tau", "epsilon", "multiclass", "class.weights")

print_head <- function(x, digits) {
  print_line("Task", x$task, if (length(x$classes)) paste0(", ", length(x$classes), " classes"))
  print_line("Data", x$n, " rows, ", x$blueprint$p, plural(x$blueprint$p, " column"))
  if (!is.null(x$loss)) print_line("Loss", loss_line(x))
  print_line("Partition", partition_line(x, digits))
  print_line("Kernel", kernel_line(x, digits))
  print_line("Penalty", "lambda = ", span(x$lambda, digits))
  print_line("Selection", selection_line(x))
  print_edge(grid_edges(x, intersect(c("gamma", "lambda"), x$grid.given)), "cell")
  if (!is.na(x$cv.error)) {
    print_line("Validated error", error_name(x), " ", format(x$cv.error, digits = digits))
  }
  if (isTRUE(x$loss != "least.squares")) {
    print_line("Duality gap", "at most ", format(max(x$gap), digits = digits), " of the objective")
  }
  open <- sum(!x$converged)
  if (open) print_line("Convergence", open, plural(open, " cell"), " did not converge")
}

partition_line <- function(x, digits) {
  m <- length(x$cell.size)
  if (x$partition == "none") return("none (one cell)")
  kind <- switch(x$partition, random = "random chunks", "Voronoi cells")
  paste0(m, " ", kind, " of ", span(x$cell.size, digits), " rows",
         if (!is.na(x$radius)) paste0(", radius ", format(x$radius, digits = digits)),
         if (isTRUE(x$overlap > 0)) paste0(", overlap ", format(x$overlap, digits = digits)))
}

kernel_line <- function(x, digits) {
  if (x$kernel == "linear") return("linear")
  if (!is.null(x$nodes)) {
    return(paste0("hierarchical, ", length(x$nodes$leaf), plural(length(x$nodes$leaf), " node"),
                  ", ", sum(lengths(x$nodes$weights)), " weights, gamma = ",
                  span(x$gamma, digits)))
  }
  extra <- if (x$kernel == "polynomial") paste0(", degree = ", x$degree, ", coef0 = ", x$coef0)
  paste0(x$kernel, ", gamma = ", span(x$gamma, digits), extra)
}

selection_line <- function(x) {
  if (x$folds == 0) return("none (parameters were given)")
  how <- switch(x$validation, split = "first half against second half",
                split.cells = "first half of each cell against second half",
                paste0(x$folds, "-fold cross-validation"))
  sampled <- x$search.rows > 0 & x$search.rows < x$cell.size
  paste0(how, if (x$final == "average") ", fold models averaged" else ", refitted on all rows",
         if (any(sampled)) paste0("; ", sum(sampled), plural(sum(sampled), " cell"),
                                  " searched on ", max(x$search.rows[sampled]), " rows"))
}

training_error <- function(object) {
  error <- as.matrix(object$residuals)
  mean(row_loss(object, error[setdiff(seq_len(nrow(error)), object$unused), , drop = FALSE]))
}

#' @export
fitted.vpsvm <- function(object, ...) {
  check_dots(list(...), "object", "fitted")
  check_sound(object)
  fitted <- object$fitted
  if (!is.data.frame(fitted)) return(stats::napredict(object$na.action, fitted))
  as.data.frame(lapply(fitted, stats::napredict, omit = object$na.action), optional = TRUE)
}

#' @export
residuals.vpsvm <- function(object, ...) {
  check_dots(list(...), "object", "residuals")
  check_sound(object)
  stats::naresid(object$na.action, object$residuals)
}

# Of the kernel expansion: one row per support vector, named by its `index`.
#' @export
coef.vpsvm <- function(object, ...) {
  check_dots(list(...), "object", "coef")
  check_sound(object)
  named_decision(object, object$coef, object$index)
}

#' @export
nobs.vpsvm <- function(object, ...) {
  check_dots(list(...), "object", "nobs")
  check_sound(object)
  object$n
}
