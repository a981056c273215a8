# mold: what the user gives at fit becomes a numeric design matrix, a response, weights and a
# blueprint, by which forge() in new-data.R treats new rows in the same way.

# `several`: a numeric matrix or data frame is as many responses side by side.
mold <- function(x, y, weights = NULL, na.action = stats::na.fail, several = FALSE) {
  if (missing(y)) abort("`y` is missing; give the response, or a formula and data.", arg = "y")
  frame <- as_frame(x, "x")
  if (length(dim(frame)) != 2L || ncol(frame) == 0L) abort("`x` has no columns.", arg = "x")
  finish_mold(frame, y, weights, na.action, several = several)
}

mold_formula <- function(formula, data, subset, weights, na.action, several = FALSE) {
  if (length(formula) != 3L) {
    abort("`formula` has no response; write it as response ~ predictors.", arg = "formula")
  }
  env <- environment(formula) %||% globalenv()
  if (!is.null(data)) data <- as_data(data)
  y <- in_data(formula[[2L]], data, env, "response")
  n <- NROW(y)
  effects <- main_effects(formula[[3L]])
  variables <- if (is.null(effects)) bare_names(formula[[3L]]) else
    effect_variables(effects, data, all.vars(formula[[2L]]))
  if (is.symbol(formula[[2L]]) && as.character(formula[[2L]]) %in% variables) {
    abort("The response `", formula[[2L]], "` is also among the predictors; take it out there.",
          arg = "formula")
  }
  made <- if (is.null(effects)) formula_frame(formula, data, env, n)
  frame <- if (is.null(made)) pick_columns(variables, data, env, n) else made$frame
  rows <- subset_rows(in_data(subset, data, env, "subset"), n)
  weights <- in_data(weights, data, env, "weights")
  if (!is.null(rows)) {
    check_weights(weights, n)
    frame <- take_rows(frame, rows)
    y <- if (length(dim(y)) == 2L) y[rows, , drop = FALSE] else y[rows]
    weights <- weights[rows]
  }
  finish_mold(frame, y, weights, na.action, made$blueprint, several)
}

finish_mold <- function(frame, y, weights, na.action, formula = NULL, several = FALSE) {
  responses <- if (several) side_by_side(y)
  y <- if (is.null(responses)) unwrap_response(y) else complete_numbers(responses)
  if (length(y) != nrow(frame)) {
    abort("`y` has length ", length(y), ", but `x` has ", nrow(frame),
          plural(nrow(frame), " row"), "; they must agree.", arg = "y")
  }
  weights <- check_weights(weights, nrow(frame))
  frame <- standard_columns(frame, !is.null(formula))
  action <- na_action(na.action)
  omitted <- incomplete_rows(frame, y, action)
  if (!is.null(omitted)) {
    frame <- take_rows(frame, -as.vector(omitted))
    y <- y[-omitted]
    weights <- weights[-omitted]
  }
  if (nrow(frame) < 2L) {
    abort("A fit needs at least 2 complete rows, not ", nrow(frame), ".", arg = "x")
  }
  blueprint <- c(formula %||% list(columns = colnames(frame), p = ncol(frame)),
                 frame_levels(frame, weights))
  design <- expand(with_levels(frame, blueprint$levels), blueprint)
  # A level that rows of weight 0 alone have is as good as left out.
  if (any(weights == 0)) design$x[is.na(design$x)] <- 0
  blueprint <- c(blueprint, design[c("names", "indicator", "source")])
  stop_infinite(design$x, blueprint, "x")
  if (!is.null(responses)) y <- responses[y, , drop = FALSE]
  structure(list(x = design$x, y = y, weights = weights, blueprint = blueprint,
                 na.action = omitted), class = "flexkern_input")
}

# ---- x ---------------------------------------------------------------------------------------

wanted_input <- "a numeric matrix, a sparse matrix or a data frame"

# A numeric matrix stays one, a sparse one becomes a dgCMatrix; everything like a data frame becomes
# a plain data frame without matrix columns.
as_frame <- function(x, arg) {
  if (inherits(x, "sparseMatrix")) {
    if (is_sparse(x) && !is_sound_sparse(x)) {
      abort("The parts of the dgCMatrix `", arg, "` do not fit together; make it again.", arg = arg)
    }
    return(as_sparse(x))
  }
  if (inherits(x, "Matrix")) x <- as.matrix(x)
  if (is.data.frame(x)) return(plain_frame(x))
  if ((is.numeric(x) || is.logical(x)) && !is.object(x)) {
    if (is.null(dim(x))) x <- as.matrix(x)
    if (length(dim(x)) == 2L) return(x)
  }
  abort_arg(arg, x, wanted_input)
}

# The columns of the formula's data, those that are matrices included.
as_data <- function(data) {
  if (inherits(data, "Matrix")) {
    abort("`data` is a ", first_class(data), ", but a formula needs a data frame; give the sparse ",
          "matrix as `x` and the response as `y`.", arg = "data")
  }
  if (is.matrix(data)) data <- as.data.frame(data)
  if (!is.list(data)) abort_arg("data", data, "a data frame")
  as.list(data)
}

plain_frame <- function(x) {
  columns <- lapply(x, function(column) if (inherits(column, "AsIs")) unclass(column) else column)
  wide <- vapply(columns, function(column) length(dim(column)) == 2L, NA)
  if (any(wide)) {
    spread <- function(j) {
      if (wide[j]) as.list(do.call(data.frame, c(columns[j], check.names = FALSE))) else columns[j]
    }
    columns <- unlist(lapply(seq_along(columns), spread), recursive = FALSE)
  }
  structure(columns, class = "data.frame", row.names = .set_row_names(nrow(x)))
}

take_rows <- function(frame, rows) {
  if (is_numeric_table(frame)) return(frame[rows, , drop = FALSE])
  columns <- lapply(unclass(frame), take, rows)
  structure(columns, class = "data.frame", row.names = .set_row_names(NROW(columns[[1L]])),
            names = names(frame))
}

take <- function(v, rows) if (length(dim(v)) == 2L) v[rows, , drop = FALSE] else v[rows]

check_names <- function(names, arg = "x") {
  if (is.null(names)) return(invisible())
  twice <- unique(names[duplicated(names) & nzchar(names)])
  blank <- which(is.na(names) | !nzchar(names))
  if (length(twice)) {
    abort("`", arg, "` has more than one column named ", name_list(twice),
          "; give every column its own name.", arg = arg)
  }
  if (length(blank)) {
    abort("`", arg, "` has no name for column ", paste(utils::head(blank, 5L), collapse = ", "),
          "; give every column its own name, or none.", arg = arg)
  }
}

# Every column numeric or factor. Text becomes a factor, TRUE/FALSE 1/0, but what a formula `made`
# may stay logical and be a matrix.
standard_columns <- function(frame, made = FALSE) {
  if (!made) check_names(colnames(frame))
  if (is_sparse(frame)) return(frame)
  if (is.matrix(frame)) {
    storage.mode(frame) <- "double"
    return(frame)
  }
  special <- vapply(unclass(frame), function(column) is.object(column) || !is.numeric(column), NA)
  for (j in which(special)) frame[[j]] <- standard_column(frame[[j]], names(frame)[j], "x", made)
  frame
}

standard_column <- function(column, name, arg, made = FALSE) {
  if (inherits(column, "AsIs")) class(column) <- setdiff(class(column), "AsIs")
  if (made && is_plain_matrix(column)) {
    return(matrix(as.double(column), nrow(column), dimnames = list(NULL, colnames(column))))
  }
  if (is.character(column) && is.null(dim(column))) column <- factor(as.vector(unclass(column)))
  if (is.factor(column)) {
    # Without a level all are missing.
    if (nlevels(column) == 0L) return(as.numeric(column))
    if (!anyNA(levels(column))) return(column)
    abort("Column `", name, "` of `", arg, "` has NA among its levels; give it a name.", arg = arg)
  }
  if (is.logical(column) && made && !is.object(column)) return(as.vector(column))
  if (is.logical(column) || is_plain_number(column)) return(as.numeric(unclass(column)))
  abort("Column `", name, "` of `", arg, "` is ", with_article(first_class(column)),
        "; convert it to numeric or factor.", arg = arg)
}

# A series or numbers with a label are numbers; dates, durations and 64-bit integers need a word.
is_plain_number <- function(v) {
  is.numeric(v) && length(dim(v)) < 2L && !isS4(v) && !inherits(v, "integer64")
}

is_plain_matrix <- function(v) {
  length(dim(v)) == 2L && (is.numeric(v) || is.logical(v)) && !isS4(v)
}

# The levels of each factor that occur in rows of positive weight: all others are unknown to the
# model, wherever they were declared. Which variables of a formula are logical.
frame_levels <- function(frame, weights = NULL) {
  if (is_numeric_table(frame)) return(list(levels = list()))
  used <- if (is.null(weights)) seq_len(nrow(frame)) else which(weights > 0)
  seen <- function(v) levels(v)[tabulate(v[used], nlevels(v)) > 0L]
  list(levels = lapply(Filter(is.factor, unclass(frame)), seen),
       logical = names(Filter(is.logical, unclass(frame))))
}

with_levels <- function(frame, levels) {
  for (name in names(levels)) frame[[name]] <- factor(frame[[name]], levels[[name]])
  frame
}

# ---- the design matrix -----------------------------------------------------------------------

expand <- function(frame, blueprint) {
  if (!is.null(blueprint$terms)) return(expand_terms(blueprint$terms, frame))
  p <- blueprint$p
  names <- blueprint$columns %||% paste0("V", seq_len(p))
  if (length(blueprint$levels) == 0L) {
    x <- if (is_numeric_table(frame)) without_names(frame) else
      matrix(as.double(unlist(frame, use.names = FALSE)), nrow(frame), p)
    return(list(x = x, names = names, indicator = logical(p), source = seq_len(p)))
  }
  parts <- lapply(unclass(frame), function(v) if (is.factor(v)) indicators(v) else cbind(v))
  width <- vapply(parts, ncol, 1L)
  list(
    x = unname(do.call(cbind, parts)),
    names = unlist(lapply(names, function(v) paste0(v, blueprint$levels[[v]]))),
    indicator = rep(names %in% names(blueprint$levels), width),
    source = rep(seq_len(p), width)
  )
}

# Times 1/sqrt(2), so that two rows with different levels lie at distance 1.
indicators <- function(v) outer(as.integer(v), seq_along(levels(v)), "==") / sqrt(2)

# ---- rows ------------------------------------------------------------------------------------

incomplete_rows <- function(frame, y, action) {
  missing <- missing_rows(frame)
  if (!any(missing) && !anyNA(y)) return(NULL)
  if (action == "fail" || action == "pass") stop_missing(frame, y, missing)
  structure(which(missing | is.na(y)), class = action)
}

na_action <- function(na.action) {
  actions <- list(fail = stats::na.fail, omit = stats::na.omit, exclude = stats::na.exclude,
                  pass = stats::na.pass)
  for (name in names(actions)) {
    if (identical(na.action, actions[[name]]) || identical(na.action, paste0("na.", name))) {
      return(name)
    }
  }
  abort_arg("na.action", na.action, "na.fail, na.omit, na.exclude or na.pass")
}

stop_missing <- function(frame, y, missing) {
  columns <- if (is_numeric_table(frame)) faults(frame, is.na)$columns else
    vapply(unclass(frame), anyNA, NA)
  names <- colnames(frame) %||% paste0("V", seq_len(ncol(frame)))
  rows <- sum(missing)
  found <- c(
    if (rows) paste0("`x` has missing values in ", rows, plural(rows, " row"), " (column ",
                     name_list(names[columns]), ")"),
    if (anyNA(y)) paste0("`y` has ", sum(is.na(y)), plural(sum(is.na(y)), " missing value"))
  )
  abort(paste(found, collapse = " and "), "; use na.action = na.omit to leave these rows out.",
        arg = if (rows) "x" else "y")
}

stop_infinite <- function(x, blueprint, arg) {
  values <- entries(x)
  if (length(values) == 0L || !any(is.infinite(range(values)))) return(invisible())
  columns <- unique(source_names(blueprint)[faults(x, is.infinite)$columns])
  abort("`", arg, "` has infinite values (Inf or -Inf) in column ", name_list(columns),
        "; replace them or leave these rows out.", arg = arg)
}

# For messages: the user's column behind each column of the design matrix.
source_names <- function(blueprint) {
  if (!is.null(blueprint$terms) || is.null(blueprint$columns)) return(blueprint$names)
  blueprint$columns[blueprint$source]
}
