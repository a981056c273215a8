#' Print and summarise kernel basis pursuit
#'
#' @param object,x A model made by [kbp()], or its summary.
#' @param digits Significant digits.
#' @param ... Nothing: an unknown argument is an error.
#' @return `print` returns its argument. `summary` returns a list of class `summary.kbp` with, among
#'   others, `kernels`, a data frame with one row per kernel and bandwidth of the dictionary and the
#'   number of its `support` vectors where the path stops.
#' @examples
#' d <- data.frame(t = seq(0, 1, length.out = 60))
#' d$y <- sin(8 * d$t^2)
#' summary(kbp(y ~ t, d, stop = "none", max.steps = 20))
#' @method summary kbp
#' @export
summary.kbp <- function(object, ...) {
  check_dots(list(...), "object", "summary")
  check_sound(object)
  live <- rowSums(object$coef != 0) > 0
  per_block <- function(name, missing) {
    vapply(object$blocks, function(b) b[[name]] %||% missing, missing)
  }
  kernels <- data.frame(
    kernel = per_block("name", ""), bandwidth = per_block("bandwidth", NA_real_),
    support = tabulate(object$sources$kernel[live], length(object$blocks))
  )
  head <- object[c("call", "task", "classes", "names", "n", "blueprint", "method", "stop", "bound",
                   "size", "path", "cv.error", "folds", "sources", "coef", "blocks", "edge")]
  structure(list(model = head, kernels = kernels, error = kbp_training_error(object),
                 scaling = table(object$scaling$method), stored = object$stored,
                 seconds = object$seconds, threads = object$threads), class = "summary.kbp")
}

kbp_training_error <- function(object) {
  if (!is.matrix(object$residuals)) return(training_error(object))
  used <- setdiff(seq_len(nrow(object$residuals)), object$unused)
  colMeans(object$residuals[used, , drop = FALSE]^2)
}

#' @rdname summary.kbp
#' @method print kbp
#' @export
print.kbp <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  check_sound(x)
  print_kbp(x, digits)
  invisible(x)
}

print_kbp <- function(x, digits) {
  print_call(x$call)
  live <- rowSums(x$coef != 0) > 0
  rows <- length(unique(x$sources$row[live]))
  print_line("Task", x$task, if (length(x$classes)) paste0(", ", length(x$classes), " classes"),
             if (length(x$names)) paste0(", ", length(x$names), " responses"))
  print_line("Data", x$n, " rows, ", x$blueprint$p, plural(x$blueprint$p, " column"))
  print_line("Dictionary", format(x$size, big.mark = ","), " sources of ", length(x$blocks),
             plural(length(x$blocks), " kernel"))
  print_line("Path", path_line(x))
  print_line("Stopped by", stop_line(x, digits))
  print_edge(x$edge, "response")
  print_line("Model", sum(live), plural(sum(live), " source"), " at ", rows,
             plural(rows, " row"))
  if (!all(is.na(x$cv.error))) {
    what <- if (x$task == "regression") "mean squared error " else "misclassification "
    print_line("Validated error", what, paste(format(x$cv.error, digits = digits), collapse = ", "))
  }
  cat("\n")
}

path_line <- function(x) {
  steps <- vapply(x$path, function(p) nrow(p$points) - 1L, 1L)
  paste0(x$method, ", ", paste(unique(range(steps)), collapse = " to "),
         plural(max(steps), " step"))
}

stop_line <- function(x, digits) {
  ends <- vapply(x$path, `[[`, "", "end")
  bound <- paste(unique(format(signif(range(x$bound), digits), trim = TRUE)), collapse = " to ")
  rule <- switch(
    x$stop, cv.l1 = paste("sum |beta| =", bound), cv.nu = paste("nu =", bound),
    random = paste("more than", bound, "random vectors above the sources"),
    trap = paste("more than", bound, "sources of the trap scale above the others"),
    whiteness = paste("whiteness of the residuals at level", bound),
    loss = paste("fall of the loss below", bound), none = "no rule"
  )
  if (x$folds > 0) rule <- paste0(rule, " (", x$folds, "-fold cross-validation)")
  reached <- if (any(ends == "steps")) "; ended by `max.steps`" else
    if (any(ends == "complete")) "; end of the path"
  paste0(rule, reached)
}

#' @rdname summary.kbp
#' @method print summary.kbp
#' @export
print.summary.kbp <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  print_kbp(x$model, digits)
  cat("Kernels:\n")
  print(x$kernels, digits = digits)
  print_tail(x, digits, paste0(
    format(x$seconds, digits = 3L), " on ", x$threads, plural(x$threads, " thread"),
    if (!x$stored) "; the dictionary was computed by tiles"
  ))
  invisible(x)
}

#' @export
fitted.kbp <- function(object, ...) {
  check_dots(list(...), "object", "fitted")
  check_sound(object)
  if (is.null(object$fitted)) {
    abort("Fitted values are kept for the end of the path only; give `newdata` with `s`.",
          arg = "newdata")
  }
  stats::napredict(object$na.action, object$fitted)
}

#' @export
residuals.kbp <- function(object, ...) {
  check_dots(list(...), "object", "residuals")
  check_sound(object)
  stats::naresid(object$na.action, object$residuals)
}

#' @export
nobs.kbp <- function(object, ...) {
  check_dots(list(...), "object", "nobs")
  check_sound(object)
  object$n
}
