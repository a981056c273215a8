# Formulas. Those with main effects only never build a terms object: they are read as lists of
# names, so that y ~ . costs the same as x and y for any number of columns.

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

# Terms are expanded from single columns of these names.
check_single <- function(variables, frame) {
  spread <- setdiff(variables, names(frame))
  if (length(spread) == 0L) return(invisible())
  abort("`", spread[1L], "` is a matrix or a data frame, but in a formula with transformations, ",
        "interactions or `$` every variable must be a single column; name the columns themselves.",
        arg = "formula")
}

# Everything else (transformations, interactions) goes through stats::terms. The terms live in the
# global environment, so that a saved model carries nobody's frame.
formula_terms <- function(formula, data) {
  terms <- in_formula(stats::terms(formula, data = column_names_only(data)))
  if (length(attr(terms, "offset"))) {
    abort("offset() in a formula is not supported; subtract it from the response.", arg = "formula")
  }
  if (length(attr(terms, "term.labels")) == 0L) {
    abort("The formula has no predictors.", arg = "formula")
  }
  terms <- stats::delete.response(terms)
  check_functions(terms, environment(formula))
  environment(terms) <- globalenv()
  terms
}

# What terms() needs of the data, which may be a list with columns of unequal length.
column_names_only <- function(data) {
  if (is.null(data)) return(NULL)
  check_names(names(data), "data")
  columns <- rep(list(logical()), length(data))
  structure(columns, names = names(data), class = "data.frame", row.names = integer())
}

in_formula <- function(code) {
  tryCatch(code, error = function(e) {
    abort("The formula cannot be evaluated: ", reason(e), ".", arg = "formula")
  })
}

# A function of some other frame could not be found again when the model predicts.
check_functions <- function(terms, env) {
  seen_from <- function(env, name) get0(name, env, mode = "function")
  for (name in called_names(terms[[2L]])) {
    if (!identical(seen_from(env, name), seen_from(globalenv(), name))) {
      abort("The formula uses the function `", name, "` of a local environment, which predict() ",
            "could not find again; make it a global function or of an attached package, or ",
            "compute the column in `data` first.", arg = "formula")
    }
  }
}

# The functions that an expression calls by their bare name.
called_names <- function(e) {
  if (!is.call(e)) return(NULL)
  head <- e[[1L]]
  if (is.call(head) && as.character(head[[1L]]) %in% c("::", ":::")) head <- NULL
  parts <- c(if (is.call(head)) list(head), as.list(e)[-1L])
  unique(c(if (is.symbol(head)) as.character(head), unlist(lapply(parts, called_names))))
}

expand_terms <- function(terms, frame, xlevels = NULL) {
  model <- in_formula(
    stats::model.frame(terms, frame, na.action = stats::na.pass, xlev = xlevels)
  )
  rows <- NROW(model[[1L]])
  if (rows != nrow(frame)) {
    abort("The formula makes ", rows, plural(rows, " row"), " of ", nrow(frame), ".",
          arg = "formula")
  }
  if (is.null(xlevels)) check_levels(model)
  kept <- if (is.null(xlevels)) attr(model, "terms") else terms
  grouped <- vapply(model, function(v) is.factor(v) || is.character(v), NA)
  x <- in_formula({
    contrasts <- lapply(model[grouped], function(v) {
      stats::contrasts(as.factor(v), contrasts = FALSE)
    })
    stats::model.matrix(terms, model, contrasts.arg = if (any(grouped)) contrasts)
  })
  column <- attr(x, "assign")
  x <- x[, column > 0L, drop = FALSE]
  column <- column[column > 0L]
  in_term <- attr(terms, "factors") > 0
  numeric_term <- colSums(in_term[!grouped, , drop = FALSE]) > 0
  indicator <- !numeric_term[column]
  x[, indicator] <- x[, indicator] / sqrt(2)
  list(
    x = matrix(as.double(x), nrow(x)), names = colnames(x), indicator = unname(indicator),
    source = seq_along(column), terms = kept,
    xlevels = xlevels %||% stats::.getXlevels(terms, model) %||% list()
  )
}

# A factor that the formula makes, without any level.
check_levels <- function(model) {
  empty <- vapply(model, function(v) is.factor(v) && nlevels(v) == 0L, NA)
  if (any(empty)) {
    abort("`", names(model)[empty][1L], "` has missing values only; leave it out.",
          arg = "formula")
  }
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
