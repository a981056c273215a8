#' Print and summarise machines on several kernels
#'
#' @param object,x A model made by [rmekl()], [mhks()], [kmhks()] or [svm2k()], or its summary.
#' @param digits Significant digits.
#' @param ... Nothing: an unknown argument is an error.
#' @return `print` returns its argument. `summary` returns a list of class `summary.rmekl` with,
#'   among others, `kernels`, a data frame with one row for each kernel of each machine (`rank`, as
#'   the basis rule found it, and `size`, the basis rows that the model keeps; one-versus-rest
#'   machines have them in common), and `machines`, one
#'   row for each pair of classes with its penalties, iterations and last objective. `coef` returns
#'   a list: `intercept`, one number a machine, and `kernels`, for each row of `kernels` a matrix of
#'   the coefficients of its basis rows; for [mhks()] a matrix with the weights of the scaled
#'   columns and the intercept, one column a machine.
#' @examples
#' fit <- rmekl(Species ~ ., iris, c = 0.1, lambda = 1)
#' summary(fit)
#' coef(mhks(Species ~ ., iris, c = 0.1))
#' @method summary rmekl
#' @export
summary.rmekl <- function(object, ...) {
  check_dots(list(...), "object", "summary")
  check_sound(object)
  head <- object[c("call", "task", "method", "classes", "n", "blueprint", "basis", "pairing",
                   "penalties", "machines", "views", "kernels", "cv.error", "folds", "index")]
  # One-versus-rest machines share their views.
  machine <- object$machines$name[match(object$views$group, object$machines$group)]
  if (anyDuplicated(object$machines$group)) machine <- "all"
  kernels <- cbind(
    machine = machine, object$views[c("name", "gamma", "rank", "size")]
  )
  structure(
    list(model = head, kernels = kernels,
         machines = object$machines[setdiff(names(object$machines),
                                            c("group", "positive", "negative"))],
         error = training_error(object), scaling = table(object$scaling$method),
         seconds = object$seconds), class = "summary.rmekl"
  )
}

#' @rdname summary.rmekl
#' @method print rmekl
#' @export
print.rmekl <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  check_sound(x)
  print_mekl(x, digits)
  invisible(x)
}

print_mekl <- function(x, digits) {
  print_call(x$call)
  m <- nrow(x$machines)
  print_line("Task", x$task, ", ", length(x$classes), " classes")
  print_line("Data", x$n, " rows, ", x$blueprint$p, plural(x$blueprint$p, " column"))
  print_line("Kernels", paste(vapply(x$kernels, kernel_title, ""), collapse = ", "))
  print_line("Machines", m, if (length(x$classes) > 2L)
    c(ovo = ", one for each pair of classes", ovr = ", each class against the rest")[x$pairing])
  if (x$method != "svm2k") print_line("Basis", x$basis)
  for (k in seq_along(x$kernels)) {
    of <- x$views$kernel == k
    print_line(if (k == 1L) "Rank" else "", x$kernels[[k]]$name, " ",
               span(x$views$rank[of], digits))
  }
  print_line("Kept", length(x$index), plural(length(x$index), " row"))
  for (name in names(x$penalties)) {
    print_line(name, span(x$machines[[name]], digits))
  }
  print_edge(x$machines$edge, "machine")
  print_line("Iterations", span(x$machines$iterations, digits))
  if (!is.na(x$cv.error)) {
    print_line("Validated error", "misclassification ", format(x$cv.error, digits = digits), " (",
               x$folds, "-fold)")
  }
  cat("\n")
}

# A view's own name, and what its kernel is.
kernel_title <- function(view) {
  word <- kernel_word(view)
  if (view$name == word) word else paste0(view$name, " (", word, ")")
}

#' @rdname summary.rmekl
#' @method print summary.rmekl
#' @export
print.summary.rmekl <- function(x, digits = 4L, ...) {
  check_dots(list(...), c("x", "digits"), "print")
  check_args(digits = digits)
  print_mekl(x$model, digits)
  for (part in c("kernels", "machines")) {
    cat(toupper(substr(part, 1L, 1L)), substring(part, 2L), ":\n", sep = "")
    print_rows(x[[part]], 30L, digits, row.names = FALSE)
  }
  print_tail(x, digits)
  invisible(x)
}

#' @rdname summary.rmekl
#' @export
coef.rmekl <- function(object, ...) {
  check_dots(list(...), "object", "coef")
  check_sound(object)
  if (object$method == "mhks") return(column_weights(object))
  kernels <- Map(function(coef, position) {
    dimnames(coef) <- list(object$index[position], NULL)
    coef
  }, object$coef, object$position)
  list(intercept = stats::setNames(object$intercept, object$machines$name), kernels = kernels)
}

# A linear machine as weights of the columns.
column_weights <- function(object) {
  weights <- Map(function(coef, position) {
    crossprod(object$sv[position, , drop = FALSE], coef)
  }, object$coef, object$position)
  out <- rbind(do.call(cbind, weights), object$intercept)
  dimnames(out) <- list(c(object$blueprint$names, "(Intercept)"), object$machines$name)
  out
}

#' @export
fitted.rmekl <- function(object, ...) {
  check_dots(list(...), "object", "fitted")
  check_sound(object)
  stats::napredict(object$na.action, object$fitted)
}

#' @export
residuals.rmekl <- function(object, ...) {
  check_dots(list(...), "object", "residuals")
  check_sound(object)
  stats::naresid(object$na.action, object$residuals)
}

#' @export
nobs.rmekl <- function(object, ...) {
  check_dots(list(...), "object", "nobs")
  check_sound(object)
  object$n
}
