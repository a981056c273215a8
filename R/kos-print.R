#' Print, summarise and plot kernel-based optimal subspaces
#'
#' `plot()` draws the spectrum of each subspace: its eigenvalues as shares of their sum, with a
#' point at the last one that is kept.
#'
#' @param object,x A model made by [kos()], or its summary.
#' @param digits Significant digits.
#' @param ... Graphical parameters for `plot()`; not used by the others.
#' @return `print` and `plot` return their argument, invisibly. `summary` returns a list of class
#'   `summary.kos` with `subspaces`, as in [kos()], and `error`, the misclassification rate on the
#'   training rows.
#' @examples
#' fit <- kos(Species ~ ., data = iris)
#' summary(fit)
#' plot(fit)
#' @method summary kos
#' @export
summary.kos <- function(object, ...) {
  check_dots(list(...), "object", "summary")
  check_sound(object)
  head <- object[c("call", "task", "classes", "n", "blueprint", "gamma", "centered", "subspaces",
                   "cv.error", "folds")]
  structure(
    list(model = head, subspaces = object$subspaces, error = training_error(object),
         scaling = table(object$scaling$method), seconds = object$seconds),
    class = "summary.kos"
  )
}

#' @rdname summary.kos
#' @method print kos
#' @export
print.kos <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  check_sound(x)
  print_kos(x, digits)
  invisible(x)
}

print_kos <- function(x, digits) {
  print_call(x$call)
  m <- nrow(x$subspaces)
  print_line("Task", x$task, ", ", length(x$classes), " classes")
  print_line("Data", x$n, " rows, ", x$blueprint$p, plural(x$blueprint$p, " column"))
  print_line("Kernel", kernel_line(c(x["gamma"], kernel = "radial"), digits))
  print_line("Subspaces", m, if (x$centered) ", through the class means")
  print_line("Rank", span(x$subspaces$rank, digits), " of ", span(x$subspaces$size, digits))
  print_line("Energy", span(x$subspaces$energy, digits))
  if (!is.na(x$cv.error)) {
    print_line("Validated error", "misclassification ", format(x$cv.error, digits = digits), " (",
               x$folds, "-fold)")
  }
  cat("\n")
}

#' @rdname summary.kos
#' @method print summary.kos
#' @export
print.summary.kos <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  print_kos(x$model, digits)
  cat("Subspaces:\n")
  print_rows(x$subspaces, 30L, digits)
  print_tail(x, digits)
  invisible(x)
}

#' @rdname summary.kos
#' @method plot kos
#' @export
plot.kos <- function(x, ...) {
  check_sound(x)
  share <- lapply(x$spectrum, function(v) ifelse(v > 0, v, NA) / max(sum(v), 1e-300))
  classes <- length(x$classes)
  color <- grDevices::hcl.colors(max(classes, 2L), "Dark 3")[as.integer(x$subspaces$class)]
  ends <- range(unlist(share), 1, na.rm = TRUE)
  args <- list(x = c(1, max(lengths(share))), y = pmax(ends, 1e-10), type = "n", log = "y",
               xlab = "eigenvalue", ylab = "share of the sum", main = "Spectra of the classes")
  do.call(graphics::plot.default, override(args, ...))
  for (i in seq_along(share)) {
    graphics::lines(share[[i]], col = color[i])
    kept <- x$subspaces$rank[i]
    graphics::points(kept, share[[i]][max(kept, 1L)], pch = 19L, col = color[i])
  }
  if (classes <= 12L) {
    graphics::legend("topright", x$classes, lty = 1L, bty = "n",
                     col = grDevices::hcl.colors(max(classes, 2L), "Dark 3")[seq_len(classes)])
  }
  invisible(x)
}

# ---- what every model has --------------------------------------------------------------------

#' @export
fitted.kos <- function(object, ...) {
  check_dots(list(...), "object", "fitted")
  check_sound(object)
  stats::napredict(object$na.action, object$fitted)
}

#' @export
residuals.kos <- function(object, ...) {
  check_dots(list(...), "object", "residuals")
  check_sound(object)
  stats::naresid(object$na.action, object$residuals)
}

#' @export
nobs.kos <- function(object, ...) {
  check_dots(list(...), "object", "nobs")
  check_sound(object)
  object$n
}

#' @rdname importance
#' @export
#' @rawNamespace S3method(randomForest::importance, kos)
#' S3method(ranger::importance, kos)
importance.kos <- importance.vpsvm
