# Formulas with transformations or interactions. Their terms see the columns as they are, as in
# stats::model.frame(), at the fit and when new rows are predicted; only the results become numbers
# and factors. What a term learned from the training rows (knots, centers) is written into its call.

# What a formula makes of the data: `frame` holds one entry for each variable of its terms, and
# `blueprint` what is needed to make them again of new rows.
formula_frame <- function(formula, data, env, n) {
  terms <- formula_terms(formula, data)
  calls <- term_variables(terms)
  scope <- formula_scope(calls, data, env, n)
  values <- in_formula(lapply(calls, eval, c(scope$columns, scope$constants), env), scope$absent)
  learned <- Map(with_learned, calls, values, list(c(scope$columns, scope$constants)), list(env))
  attr(terms, "predvars") <- as.call(c(list(quote(list)), unname(learned)))
  environment(terms) <- globalenv()
  blueprint <- list(columns = names(scope$columns), p = length(scope$columns), terms = terms,
                    kinds = lapply(scope$columns, column_kind), constants = scope$constants)
  if (!any(c("time", "cycle") %in% unlist(lapply(calls, called_names)))) {
    blueprint$kinds[vapply(blueprint$kinds, identical, NA, "ts")] <- "numeric"
  }
  frame <- variable_frame(values, terms, n)
  warn_dependence(frame, scope$columns, blueprint)
  list(frame = frame, blueprint = blueprint)
}

# Whether new rows get what they would have got at the fit: some rows alone, or in another order,
# have to become what they became among all.
warn_dependence <- function(frame, columns, blueprint) {
  n <- nrow(frame)
  timed <- any(vapply(blueprint$kinds, identical, NA, "ts"))
  if (n < 4L || timed) return(invisible())
  for (rows in list(rev(seq(1L, n, by = 2L)), 1L, n)) {
    changed <- changed_variables(frame, columns, blueprint, rows)
    if (!any(changed)) next
    warn("`", names(frame)[changed][1L], "` in the formula depends on more rows than its own, so ",
         "that predict() cannot make it of new rows as the fit did; compute it in `data` first.")
    return(invisible())
  }
}

changed_variables <- function(frame, columns, blueprint, rows) {
  part <- lapply(columns, function(v) if (NROW(v) == nrow(frame)) take(v, rows) else v)
  part <- structure(part, class = "data.frame", row.names = .set_row_names(length(rows)))
  alone <- tryCatch(suppressWarnings(formula_frame_again(part, blueprint)), error = identity)
  if (inherits(alone, "error")) return(FALSE)
  plain <- function(v) if (is.factor(v)) as.character(v) else as.vector(v)
  vapply(seq_along(frame), function(j) {
    !isTRUE(all.equal(plain(take(frame[[j]], rows)), plain(alone[[j]])))
  }, NA)
}

# The same of new rows. They are evaluated in the global environment, so that a saved model carries
# nobody's frame.
formula_frame_again <- function(frame, blueprint) {
  n <- nrow(frame)
  columns <- Map(kind_again, unclass(frame), blueprint$kinds, blueprint$columns)
  names(columns) <- blueprint$columns
  calls <- as.list(attr(blueprint$terms, "predvars"))[-1L]
  values <- in_formula(lapply(calls, eval, c(columns, blueprint$constants), globalenv()))
  variable_frame(values, blueprint$terms, n)
}

formula_terms <- function(formula, data) {
  terms <- in_formula(stats::terms(formula, data = column_names_only(data)))
  if (length(attr(terms, "offset")) || any(is_offset(attr(terms, "variables")))) {
    abort("offset() in a formula is not supported; subtract it from the response.", arg = "formula")
  }
  if (length(attr(terms, "term.labels")) == 0L) {
    abort("The formula has no predictors.", arg = "formula")
  }
  stats::delete.response(terms)
}

# terms() does not know stats::offset().
is_offset <- function(calls) {
  vapply(as.list(calls), function(e) is.call(e) && identical(e[[1L]], quote(stats::offset)), NA)
}

# What terms() needs of the data, which may be a list with columns of unequal length.
column_names_only <- function(data) {
  if (is.null(data)) return(NULL)
  check_names(names(data), "data")
  columns <- rep(list(logical()), length(data))
  structure(columns, names = names(data), class = "data.frame", row.names = integer())
}

term_variables <- function(terms) {
  stats::setNames(as.list(attr(terms, "variables"))[-1L], rownames(attr(terms, "factors")))
}

in_formula <- function(code, absent = NULL) {
  tryCatch(code, error = function(e) {
    if (length(absent)) {
      abort("The formula asks for `", names(absent)[1L], "`, which is ", absent[1L], ".",
            arg = "formula")
    }
    abort("The formula cannot be evaluated: ", reason(e), ".", arg = "formula")
  })
}

# ---- what the terms read -----------------------------------------------------------------------

# `columns`: of the data, or elsewhere with a row for each response; new rows must have them. Other
# objects of the place where the formula was written are `constants`, which the model keeps.
formula_scope <- function(calls, data, env, n) {
  names <- unique(unlist(lapply(calls, variables_read)))
  check_names(names(data)[names(data) %in% names], "data")
  found <- lapply(stats::setNames(nm = names), function(v) {
    if (v %in% names(data)) data[[v]] else get0(v, env)
  })
  functions <- vapply(found, is.function, NA)
  for (name in c(unlist(lapply(calls, called_names)), names[functions])) {
    check_function(name, env)
  }
  absent <- vapply(found, is.null, NA) | functions
  found <- found[!absent]
  column <- vapply(found, function(v) NROW(v) == n || !is_plain(v), NA) |
    names(found) %in% names(data)
  list(
    columns = found[column], constants = found[!column],
    absent = vapply(names[absent], function(v) variable_fault(NULL, data, n), "")
  )
}

# Data that hold no environment, whose frame the model would carry along.
is_plain <- function(v) {
  if (is.environment(v) || is.function(v) || isS4(v) || typeof(v) == "externalptr") return(FALSE)
  parts <- c(attributes(v), if (is.list(v)) unclass(v))
  all(vapply(parts, is_plain, NA))
}

# The variables that an expression reads: neither what `$` and `@` pick nor what a function within
# it has as its own arguments.
variables_read <- function(e) {
  if (is.symbol(e)) return(setdiff(as.character(e), ""))
  if (!is.call(e)) return(NULL)
  head <- if (is.symbol(e[[1L]])) as.character(e[[1L]]) else ""
  if (head %in% c("::", ":::")) return(NULL)
  if (head %in% c("$", "@")) return(variables_read(e[[2L]]))
  if (head == "function") {
    inside <- c(as.list(e[[2L]]), e[[3L]])
    return(setdiff(unlist(lapply(inside, variables_read)), names(e[[2L]])))
  }
  parts <- c(if (is.call(e[[1L]])) list(e[[1L]]), as.list(e)[-1L])
  unique(unlist(lapply(parts, variables_read)))
}

# The functions that an expression calls by their bare name.
called_names <- function(e) {
  if (!is.call(e)) return(NULL)
  head <- e[[1L]]
  if (is.call(head) && as.character(head[[1L]]) %in% c("::", ":::")) head <- NULL
  parts <- c(if (is.call(head)) list(head), as.list(e)[-1L])
  unique(c(if (is.symbol(head)) as.character(head), unlist(lapply(parts, called_names))))
}

# A function of some other frame could not be found again when the model predicts.
check_function <- function(name, env) {
  seen_from <- function(env) get0(name, env, mode = "function")
  if (identical(seen_from(env), seen_from(globalenv()))) return(invisible())
  abort("The formula uses the function `", name, "` of a local environment, which predict() ",
        "could not find again; make it a global function or of an attached package, or ",
        "compute the column in `data` first.", arg = "formula")
}

# ---- what the terms learn ----------------------------------------------------------------------

# As stats::model.frame() does for the outermost call, but for those within it too, as in
# I(scale(a)^2).
with_learned <- function(call, value, scope, env) {
  stats::makepredictcall(value, with_learned_parts(call, scope, env))
}

learners <- c("scale", "poly", "bs", "ns")

with_learned_parts <- function(e, scope, env) {
  if (!is.call(e) || identical(e[[1L]], quote(`function`))) return(e)
  for (i in which(vapply(as.list(e), is.call, NA))) {
    part <- with_learned_parts(e[[i]], scope, env)
    name <- if (is.call(part[[1L]])) part[[1L]][[3L]] else part[[1L]]
    if (as.character(name) %in% learners) {
      part <- stats::makepredictcall(in_formula(eval(part, scope, env)), part)
    }
    e[[i]] <- part
  }
  e
}

# ---- raw columns of new rows -------------------------------------------------------------------

# An empty vector of its class where this has levels, units or a time zone; else a word.
column_kind <- function(v) {
  if (is.factor(v)) return(factor(character(), levels(v), ordered = is.ordered(v)))
  if (inherits(v, c("difftime", "POSIXct"))) return(v[0L])
  if (length(dim(v)) == 2L) return(if (is.data.frame(v)) "data frame" else "matrix")
  if (is.character(v)) return("text")
  if (is.logical(v)) return("logical")
  if (is_plain_number(v)) return(if (stats::is.ts(v)) "ts" else "numeric")
  class <- setdiff(class(v), "AsIs")
  class[length(class)]
}

# A column of new rows as the formula's functions saw it at the fit: the codes of a factor are those
# of its training levels, text is not a factor nor a factor text, hours stay hours.
kind_again <- function(v, kind, name) {
  now <- column_kind(v)
  if (identical(now, kind)) return(v)
  textual <- is.factor(now) || identical(now, "text")
  nothing <- is.logical(v) && all(is.na(v))
  if (is.factor(kind) && (textual || nothing)) {
    text <- as.character(v)
    return(factor(text, union(levels(kind), text[!is.na(text)]), ordered = is.ordered(kind)))
  }
  if (identical(kind, "text") && (textual || nothing)) return(as.character(v))
  if (inherits(kind, "difftime") && inherits(now, "difftime")) {
    units(v) <- units(kind)
    return(v)
  }
  if (inherits(kind, "POSIXct") && inherits(now, "POSIXct")) {
    attr(v, "tzone") <- attr(kind, "tzone")
    return(v)
  }
  if (identical(kind, "numeric") && identical(now, "logical")) return(as.numeric(v))
  if (identical(kind, "numeric") && identical(now, "ts")) return(v)
  if (identical(kind, "logical") && is.numeric(v) && all(v %in% c(0, 1, NA))) return(v == 1)
  if (nothing && !identical(kind, "ts")) return(v)
  was <- if (is.character(kind)) kind else first_class(kind)
  abort("Column `", name, "` of `newdata` is ", with_article(vector_kind(v)), ", but was ",
        if (was %in% c("numeric", "logical", "text")) was else with_article(was),
        " when the model was fitted.", arg = "newdata")
}

# ---- the design matrix -------------------------------------------------------------------------

# One entry for each variable of the terms; some may be matrices.
variable_frame <- function(values, terms, n) {
  names(values) <- rownames(attr(terms, "factors"))
  rows <- vapply(values, NROW, 1L)
  if (any(rows != n)) {
    rows <- rows[rows != n][1L]
    abort("The formula makes ", rows, plural(rows, " row"), " of ", n, ".", arg = "formula")
  }
  structure(values, class = "data.frame", row.names = .set_row_names(n))
}

# Numbers as they are, one indicator for each level of a factor, and for each interaction the
# products of those of its variables.
expand_terms <- function(terms, frame) {
  used <- attr(terms, "factors") > 0
  parts <- lapply(seq_len(ncol(used)), function(j) term_columns(unclass(frame)[used[, j]]))
  x <- do.call(cbind, lapply(parts, `[[`, "x"))
  list(
    x = unname(x), names = colnames(x), source = seq_len(ncol(x)),
    indicator = rep(vapply(parts, `[[`, NA, "indicator"),
                    vapply(parts, function(part) ncol(part$x), 1L))
  )
}

# TRUE and FALSE are a number by themselves and two levels in an interaction.
term_columns <- function(variables) {
  alone <- length(variables) == 1L
  grouped <- vapply(variables, function(v) is.factor(v) || is.logical(v) && !alone, NA)
  x <- Reduce(row_products, Map(variable_columns, variables, names(variables), grouped))
  list(x = if (all(grouped)) x / sqrt(2) else x, indicator = all(grouped))
}

variable_columns <- function(v, name, grouped) {
  if (is.logical(v) && grouped) v <- factor(v, c(FALSE, TRUE))
  if (grouped) {
    x <- outer(as.integer(v), seq_along(levels(v)), "==") + 0
    colnames(x) <- paste0(name, levels(v), recycle0 = TRUE)
  } else {
    x <- matrix(as.double(v), NROW(v))
    colnames(x) <- if (is.matrix(v)) paste0(name, colnames(v) %||% seq_len(ncol(v))) else name
  }
  x
}

# The columns of `a` times those of `b`, the former varying fastest.
row_products <- function(a, b) {
  i <- rep(seq_len(ncol(a)), ncol(b))
  j <- rep(seq_len(ncol(b)), each = ncol(a))
  x <- a[, i, drop = FALSE] * b[, j, drop = FALSE]
  colnames(x) <- paste(colnames(a)[i], colnames(b)[j], sep = ":", recycle0 = TRUE)
  x
}
