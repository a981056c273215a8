# Formulas. Those with main effects only never build a terms object: they are read as lists of
# names, so that y ~ . costs the same as x and y for any number of columns. All others go through
# formula-terms.R.

# list(name, drop), from left to right; NULL if the right-hand side holds more than names that are
# added and taken away.
main_effects <- function(rhs) {
  names <- drop <- list()
  repeat {
    binary <- is_sum(rhs, 3L)
    unary <- is_sum(rhs, 2L)
    name <- effect_name(if (binary) rhs[[3L]] else if (unary) rhs[[2L]] else rhs)
    if (is.null(name)) return(NULL)
    names[[length(names) + 1L]] <- name
    drop[[length(drop) + 1L]] <- (binary || unary) && identical(rhs[[1L]], quote(`-`))
    if (!binary) break
    rhs <- rhs[[2L]]
  }
  list(name = rev(unlist(names)), drop = rev(unlist(drop)))
}

is_sum <- function(e, length) {
  is.call(e) && length(e) == length &&
    (identical(e[[1L]], quote(`+`)) || identical(e[[1L]], quote(`-`)))
}

# The intercept, 0 or 1, has no name: these models have none.
effect_name <- function(e) {
  if (is.symbol(e)) return(as.character(e))
  if (is.numeric(e) && length(e) == 1L && e %in% 0:1) return("")
  NULL
}

effect_variables <- function(effects, data, response) {
  if (is.null(data) && "." %in% effects$name) {
    abort("The formula has a `.`, but `data` is missing.", arg = "data")
  }
  runs <- rle(effects$drop)
  last <- cumsum(runs$lengths)
  chosen <- character()
  for (i in seq_along(last)) {
    names <- as.list(effects$name[seq(to = last[i], length.out = runs$lengths[i])])
    names[names == "."] <- list(setdiff(names(data), response))
    chosen <- (if (runs$values[i]) setdiff else union)(chosen, unlist(names))
  }
  chosen <- chosen[nzchar(chosen)]
  if (length(chosen) == 0L) abort("The formula has no predictors.", arg = "formula")
  chosen
}

# What a formula with other terms names beside calls.
bare_names <- function(e) {
  if (is.symbol(e)) return(as.character(e))
  sums <- c("+", "-", "*", ":", "/", "^", "%in%", "(")
  if (!is.call(e) || !as.character(e[[1L]])[1L] %in% sums) return(NULL)
  unlist(lapply(as.list(e)[-1L], bare_names))
}

# ---- variables -------------------------------------------------------------------------------

in_data <- function(expr, data, env, what) {
  tryCatch(
    eval(expr, data, env),
    error = function(e) {
      abort("The ", what, " `", shorten(paste(deparse(expr), collapse = " ")),
            "` cannot be evaluated: ", reason(e), ".", arg = what)
    }
  )
}

pick_columns <- function(variables, data, env, n) {
  check_names(names(data)[names(data) %in% variables], "data")
  absent <- setdiff(variables, names(data))
  if (length(absent) == 0L && !anyNA(variables)) {
    if (!all(nzchar(variables))) check_names(variables, "data")
    return(as_predictors(data[variables], n))
  }
  columns <- lapply(stats::setNames(nm = variables), function(v) {
    if (v %in% names(data)) return(data[[v]])
    found <- get0(v, env, mode = "numeric") %||% get0(v, env, mode = "list") %||%
      get0(v, env, mode = "character") %||% get0(v, env, mode = "logical")
    if (NROW(found) == n && !is.null(found)) return(found)
    abort("The formula asks for `", v, "`, which is ", variable_fault(found, data, n), ".",
          arg = "formula")
  })
  as_predictors(columns, n)
}

as_predictors <- function(columns, n) {
  rows <- vapply(columns, NROW, 1L)
  if (any(rows != n)) {
    abort("`", names(columns)[rows != n][1L], "` has ", rows[rows != n][1L], " rows where the ",
          "response has ", n, ".", arg = "data")
  }
  plain_frame(structure(columns, class = "data.frame", row.names = .set_row_names(n)))
}

variable_fault <- function(found, data, n) {
  if (!is.null(found)) return(paste("of length", NROW(found), "where the response has", n))
  if (is.null(data)) "not found" else "not a column of `data`"
}

subset_rows <- function(subset, n) {
  if (is.null(subset)) return(NULL)
  if (is.logical(subset) && length(subset) == n) return(which(subset))
  numbers <- is.numeric(subset) && !anyNA(subset) && all(abs(subset) <= n) &&
    (all(subset >= 0) || all(subset <= 0))
  if (numbers) return(seq_len(n)[subset])
  abort_arg("subset", subset, paste0("a logical vector of length ", n, " or row numbers up to ",
                                     n, ", all of one sign"))
}
