# forge: new rows are reconciled with what the model was fitted on. Columns match by name, extra
# ones are dropped, levels are the stored ones, and the answer has one row for each row given.

# list(x, row, n): the design matrix of the usable rows, their position, and how many were given.
forge <- function(newdata, blueprint, na.action = stats::na.pass, novel = "error") {
  novel <- check_choice(novel, c("error", "na", "ignore"), "novel")
  blueprint <- current_blueprint(blueprint)
  frame <- match_columns(new_frame(newdata, blueprint), blueprint)
  if (is_sparse(frame) && (length(blueprint$levels) || length(blueprint$terms))) {
    abort("`newdata` is a sparse matrix, but the model was fitted with factors or a formula with ",
          "terms to expand; give a data frame.", arg = "newdata")
  }
  if (nrow(frame) == 0L) {
    nothing <- matrix(0, 0L, length(blueprint$names))
    return(choose_rows(nothing, logical(), na_action(na.action), logical()))
  }
  if (!is.null(blueprint$terms)) frame <- formula_frame_again(frame, blueprint)
  reconciled <- reconcile(frame, blueprint, novel)
  x <- expand(reconciled$frame, blueprint)$x
  if (ncol(x) != length(blueprint$names)) {
    abort("The formula makes ", ncol(x), plural(ncol(x), " column"), " of `newdata`, but made ",
          length(blueprint$names), " when the model was fitted.", arg = "newdata")
  }
  if (novel == "ignore" && length(reconciled$unseen)) {
    x <- ignore_unseen(x, reconciled, blueprint)
    reconciled$novel[] <- FALSE
  }
  missing <- missing_rows(x)
  stop_infinite(if (any(missing)) x[!missing, , drop = FALSE] else x, blueprint, "newdata")
  choose_rows(x, missing, na_action(na.action), reconciled$novel)
}

# In a model of version 0.1.0 the functions of a formula saw each column as a number or a factor.
current_blueprint <- function(blueprint) {
  if (is.null(blueprint$terms) || !is.null(blueprint$kinds)) return(blueprint)
  kinds <- rep(list("numeric"), blueprint$p)
  names(kinds) <- blueprint$columns
  kinds[names(blueprint$levels)] <- lapply(blueprint$levels, function(v) factor(character(), v))
  blueprint$kinds <- kinds
  blueprint$levels <- blueprint$xlevels
  blueprint
}

# The columns made of an unseen level become 0: those that a known level in its place would fill.
ignore_unseen <- function(x, reconciled, blueprint) {
  frame <- reconciled$frame
  for (name in names(reconciled$unseen)) {
    frame[[name]][reconciled$unseen[[name]]] <- blueprint$levels[[name]][1L]
  }
  known <- expand(frame, blueprint)$x
  x[is.na(x) & !is.na(known)] <- 0
  x
}

new_frame <- function(newdata, blueprint) {
  if (is.null(newdata)) abort_arg("newdata", newdata, wanted_input)
  if (is.numeric(newdata) && is.null(dim(newdata)) && !is.object(newdata)) {
    newdata <- vector_rows(newdata, blueprint$p)
  }
  if (is.null(blueprint$terms)) return(as_frame(newdata, "newdata"))
  raw_frame(newdata)
}

# A plain vector of length p is one row.
vector_rows <- function(newdata, p) {
  if (p == 1L) return(matrix(newdata, ncol = 1L))
  if (length(newdata) != p) {
    abort("`newdata` is a vector of length ", length(newdata), ", but the model has ", p,
          " columns; give a vector of length ", p, " (one row), a matrix or a data frame.",
          arg = "newdata")
  }
  matrix(newdata, 1L, dimnames = list(NULL, names(newdata)))
}

# For a formula's functions: columns as they are.
raw_frame <- function(newdata) {
  if (!is.data.frame(newdata)) newdata <- as_frame(newdata, "newdata")
  if (is_sparse(newdata)) return(newdata)
  names <- colnames(newdata)
  columns <- as.list(if (is.matrix(newdata)) as.data.frame(newdata) else newdata)
  structure(columns, names = names, class = "data.frame", row.names = .set_row_names(nrow(newdata)))
}

match_columns <- function(frame, blueprint) {
  names <- colnames(frame)
  if (is.null(blueprint$columns) || is.null(names)) {
    if (ncol(frame) == blueprint$p) return(frame)
    abort("`newdata` has ", ncol(frame), plural(ncol(frame), " column"), ", but the model was ",
          "fitted with ", blueprint$p, ".", arg = "newdata")
  }
  absent <- setdiff(blueprint$columns, names)
  if (length(absent)) {
    abort("`newdata` lacks the ", plural(length(absent), "column"), " ", name_list(absent),
          " that the model was fitted with.", arg = "newdata")
  }
  twice <- intersect(blueprint$columns, names[duplicated(names)])
  if (length(twice)) {
    abort("`newdata` has more than one column named ", name_list(twice), ".", arg = "newdata")
  }
  if (identical(names, blueprint$columns)) return(frame)
  at <- match(blueprint$columns, names)
  if (is_numeric_table(frame)) frame[, at, drop = FALSE] else frame[at]
}

# Types and levels. `novel` marks the rows that hold a level unseen at fit, `unseen` says
# in which columns.
reconcile <- function(frame, blueprint, novel) {
  new_rows <- logical(nrow(frame))
  unseen <- list()
  if (is_numeric_table(frame) && length(blueprint$levels) == 0L) {
    if (is.matrix(frame)) storage.mode(frame) <- "double"
    return(list(frame = frame, novel = new_rows))
  }
  if (is.matrix(frame)) frame <- plain_frame(as.data.frame(frame))
  made <- !is.null(blueprint$terms)
  if (!made) names(frame) <- blueprint$columns %||% paste0("V", seq_len(blueprint$p))
  names <- names(frame)
  grouped <- names %in% names(blueprint$levels)
  simple <- vapply(unclass(frame), function(v) is.numeric(v) && !is.object(v), NA)
  for (j in which(grouped | !simple)) {
    if (!grouped[j]) {
      frame[[j]] <- numeric_again(frame[[j]], names[j], made)
    } else {
      matched <- levels_again(frame[[j]], names[j], blueprint$levels[[names[j]]], novel)
      frame[[j]] <- matched$value
      if (any(matched$novel)) unseen[[names[j]]] <- matched$novel
      new_rows <- new_rows | matched$novel
    }
  }
  for (j in which(!grouped & made)) {
    kind <- if (names[j] %in% blueprint$logical) "logical" else "double"
    if (!is.matrix(frame[[j]])) storage.mode(frame[[j]]) <- kind
  }
  list(frame = frame, novel = new_rows, unseen = unseen)
}

numeric_again <- function(column, name, made = FALSE) {
  if (is.factor(column) || is.character(column)) {
    abort("Column `", name, "` of `newdata` is ", with_article(vector_kind(column)),
          ", but was numeric when the model was fitted.", arg = "newdata")
  }
  standard_column(column, name, "newdata", made)
}

levels_again <- function(column, name, levels, novel) {
  if (inherits(column, "AsIs")) column <- unclass(column)
  textual <- is.factor(column) || is.character(column)
  if (!textual && !all(is.na(column))) {
    abort("Column `", name, "` of `newdata` is ", with_article(vector_kind(column)),
          ", but was a factor when the model was fitted.", arg = "newdata")
  }
  text <- as.character(column)
  code <- match(text, levels)
  unseen <- is.na(code) & !is.na(text)
  if (any(unseen) && novel == "error") {
    unseen <- unique(text[unseen])
    abort("Column `", name, "` of `newdata` has the ", plural(length(unseen), "level"), " ",
          name_list(unseen), " that the model was not fitted with; use ",
          'novel = "na" for NA or novel = "ignore" to predict from the other columns.',
          arg = "newdata")
  }
  list(value = factor(text, levels = levels), novel = unseen)
}

choose_rows <- function(x, missing, action, novel) {
  n <- nrow(x)
  if (action == "fail" && any(missing)) {
    abort("`newdata` has missing values in ", sum(missing), plural(sum(missing), " row"),
          "; use na.action = na.pass to get NA there.", arg = "newdata")
  }
  if (any(missing & novel)) {
    warn("The prediction is NA in ", sum(missing & novel), plural(sum(missing & novel), " row"),
         " with a level that the model was not fitted with.")
  }
  if (action %in% c("omit", "exclude")) {
    return(list(x = x[!missing, , drop = FALSE], row = seq_len(n - sum(missing)),
                n = n - sum(missing)))
  }
  if (!any(missing)) return(list(x = x, row = seq_len(n), n = n))
  list(x = x[!missing, , drop = FALSE], row = which(!missing), n = n)
}
