# What the methods of every fit share: how a formula or `x` and `y` are read, and the call that is
# kept.

# The formula method `name`.formula, of whose arguments `frame` holds the promises; `default` fits
# what the formula gives, several responses side by side where it takes them.
fit_formula <- function(name, default, call, frame, dots, several = FALSE) {
  force(call)
  check_dots(dots[names(dots) %in% c("x", "y")], c("formula", "data"), name)
  given <- function(arg) {
    if (exists(arg, frame, inherits = FALSE) && !eval(call("missing", as.name(arg)), frame)) {
      eval(call("substitute", as.name(arg)), frame)
    }
  }
  input <- mold_formula(frame$formula, frame$data, given("subset"), given("weights"),
                        frame$na.action, several)
  fit <- do.call(default, c(list(input, NULL), dots), quote = TRUE)
  with_call(fit, name, with_names(call, default), frame$formula)
}

# Options given by position get their names: with these, `formula` may be one of several arguments.
with_names <- function(call, default) {
  if (all(nzchar(names(call)[-1L]))) return(call)
  own <- names(call) %in% c("formula", "data", "subset", "weights", "na.action")
  own[1L] <- TRUE
  options <- as.call(c(list(quote(f), x = NULL, y = NULL), as.list(call)[!own]))
  as.call(c(as.list(call)[own], as.list(match.call(default, options))[-(1:3)]))
}

# The arguments of the default method that are of no use to it; `no_x`: `x` is missing.
check_fit_call <- function(name, default, no_x, dots) {
  if (no_x) {
    abort("`x` is missing; give `x` and `y`, or a formula as the first argument and `data`.",
          arg = "x")
  }
  known <- union(names(formals(default)), c("formula", "data", "subset"))
  check_dots(dots, setdiff(known, "..."), name)
}

# What mold_formula() made, or `x` and `y` through the front door; `plain`: neither `weights` nor
# `na.action` was given.
fit_input <- function(x, y, weights, na.action, plain, several = FALSE, memory = Inf) {
  if (!inherits(x, "flexkern_input")) {
    check_columns(x, memory)
    return(mold(x, y, weights, na.action, several))
  }
  if (!plain) {
    abort("Write `weights`, `subset` and `na.action` in full with a formula.", arg = "weights")
  }
  x
}

with_call <- function(fit, name, call, formula = NULL) {
  if (!is.null(formula)) fit$formula <- bare(formula)
  fit$call <- trim_call(call, name)
  made(fit)
}

# A formula without its environment.
bare <- function(formula) {
  attributes(formula) <- NULL
  formula
}

# The call that print() shows and update() repeats, without data that do.call() put into it and
# without the source it was written in.
trim_call <- function(call, name) {
  attr(call, "srcref") <- NULL
  call[[1L]] <- as.name(name)
  for (i in seq_along(call)[-1L]) {
    if (identical(call[[i]], substitute())) next
    arg <- call[[i]]
    if (inherits(arg, "formula")) call[[i]] <- bare(arg)
    bulky <- is.function(arg) || is.environment(arg) || utils::object.size(arg) > 2000
    if (bulky && !is.language(arg)) call[[i]] <- as.name(paste0("<", first_class(arg), ">"))
  }
  call
}
