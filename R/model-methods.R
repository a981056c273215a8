# What every fitted model shares: its version, and update().

# Models of earlier versions back to this one still predict.
oldest_readable <- "0.1.0"

check_version <- function(object) {
  version <- tryCatch(numeric_version(object$version), error = function(e) NULL)
  if (!is.character(object$version) || length(version) != 1L) {
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
check_update <- function(call, given) {
  symbols <- vapply(as.list(call)[-1L], function(arg) is.symbol(arg) && grepl("^<", arg), NA)
  absent <- setdiff(names(call)[-1L][symbols], given)
  if (length(absent)) {
    abort("The model was fitted with ", name_list(absent), " given by value (as do.call() does) ",
          "and keeps no data; give ", plural(length(absent), "it", "them"), " again: update(fit, ",
          paste0(absent, " = ...", collapse = ", "), ").", arg = absent[1L])
  }
}

#' @method update vpsvm
#' @export
update.vpsvm <- function(object, formula., ..., evaluate = TRUE) {
  if (evaluate) check_update(object$call, names(list(...)))
  NextMethod()
}
