# What every fitted model shares: its version, formula(), model.frame() and update(). A model keeps
# no frame, so that variables are looked up where the method is called from.

# Models of earlier versions back to this one still predict.
oldest_readable <- "0.1.0"

check_version <- function(object) {
  given <- if (is.list(object)) object[["version"]]
  version <- if (is_text(given)) tryCatch(numeric_version(given), error = function(e) NULL)
  if (length(version) != 1L) {
    abort("This model has no version; refit it.", arg = "object")
  }
  if (version > package_version_string()) {
    abort("The model was saved by flexkern ", object$version, ", but this is ",
          package_version_string(), "; update the package or refit the model.", arg = "object")
  }
  if (version < oldest_readable) {
    abort("The model was saved by flexkern ", object$version, ", which this version cannot read; ",
          "refit it.", arg = "object")
  }
}

# Data that do.call() put into the call by value are not kept: update() needs them again.
check_given <- function(call, given, verb) {
  symbols <- vapply(as.list(call)[-1L], function(arg) is.symbol(arg) && grepl("^<", arg), NA)
  absent <- setdiff(names(call)[-1L][symbols], given)
  if (length(absent)) {
    abort("The model was fitted with ", name_list(absent), " given by value (as do.call() does) ",
          "and keeps no data; give ", plural(length(absent), "it", "them"), " again: ", verb,
          "(fit, ", paste0(absent, " = ...", collapse = ", "), ").", arg = absent[1L])
  }
}

# Where a user calls from: not the frame of lapply(), as.formula() or another function of R itself.
user_frame <- function(frame) {
  frames <- sys.frames()
  parents <- sys.parents()
  while (environmentName(topenv(frame)) %in% c("base", "stats")) {
    at <- which(vapply(frames, identical, NA, frame))
    if (length(at) == 0L || parents[at[1L]] == 0L) return(globalenv())
    frame <- frames[[parents[at[1L]]]]
  }
  frame
}

# The dot is written out, so that update() can take terms away. as.formula() gives `env`.
#' @export
formula.vpsvm <- function(x, env = baseenv(), ...) {
  check_dots(list(...), c("x", "env"), "formula")
  check_sound(x)
  if (identical(env, baseenv())) env <- user_frame(parent.frame())
  formula <- x$formula
  if (is.null(formula)) abort("The model was fitted with x and y; it has no formula.", arg = "x")
  if ("." %in% all.vars(formula[[3L]])) {
    formula[[3L]] <- if (is.null(x$blueprint$terms)) sum_of(x$blueprint$columns) else
      x$blueprint$terms[[2L]]
  }
  structure(formula, class = "formula", .Environment = env)
}

sum_of <- function(names) Reduce(function(a, b) call("+", a, b), lapply(names, as.name))

#' @export
formula.kbp <- formula.vpsvm

#' @export
formula.kos <- formula.vpsvm

#' @export
formula.rmekl <- formula.vpsvm

#' @export
formula.gamma_dmm <- formula.vpsvm

#' @export
model.frame.vpsvm <- function(formula, ...) {
  caller <- user_frame(parent.frame())
  check_sound(formula)
  own <- as.list(formula$call)[-1L]
  own <- own[names(own) %in% c("data", "subset", "weights", "na.action")]
  plain <- call("model.frame", stats::formula(formula, caller), na.action = quote(stats::na.pass),
                drop.unused.levels = TRUE)
  call <- with_changes(with_changes(plain, own), as.list(match.call(expand.dots = FALSE)$...))
  check_given(call, character(), "model.frame")
  call[[1L]] <- quote(stats::model.frame)
  eval(call, caller)
}

#' @export
model.frame.kbp <- model.frame.vpsvm

#' @export
model.frame.kos <- model.frame.vpsvm

#' @export
model.frame.rmekl <- model.frame.vpsvm

#' @export
model.frame.gamma_dmm <- model.frame.vpsvm

# As update.default(), but the formula is the one of the model, whatever the variable that held it
# holds now, and it is evaluated with the rest of the call where update() is called from.
#' @method update vpsvm
#' @export
update.vpsvm <- function(object, formula., ..., evaluate = TRUE) {
  caller <- user_frame(parent.frame())
  check_sound(object)
  call <- object$call
  changes <- as.list(match.call(expand.dots = FALSE)$...)
  if (!missing(formula.)) {
    call$formula <- bare(stats::update.formula(stats::formula(object, caller), formula.))
  } else if (!is.null(object$formula)) {
    call$formula <- object$formula
  }
  call <- with_changes(call, changes)
  if (!evaluate) return(call)
  check_given(call, names(changes), "update")
  call[[1L]] <- call("::", quote(flexkern), call[[1L]])
  eval(call, caller)
}

with_changes <- function(call, changes) {
  named <- nzchar(names(changes) %||% character(length(changes)))
  parts <- as.list(call)
  parts[names(changes)[named]] <- changes[named]
  as.call(c(parts, changes[!named]))
}

#' @method update kbp
#' @export
update.kbp <- update.vpsvm

#' @method update kos
#' @export
update.kos <- update.vpsvm

#' @method update rmekl
#' @export
update.rmekl <- update.vpsvm

#' @method update gamma_dmm
#' @export
update.gamma_dmm <- update.vpsvm
