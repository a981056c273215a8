# Whether a stored object is a whole one. For each class a table says of every part that some method
# reads what it must be: an expression in the part, `v`, and the whole, `m`. What is not in a table
# is never read, or checked where it is; a new part of a model gets an entry in sound-parts.R.

check_sound <- function(object) {
  if (is.null(unsound_part(object))) return(invisible())
  tool <- intersect(c("gamma_dmm", "hg_kernel"), class(object))
  abort("The parts of this ", if (length(tool)) paste0(tool, "() object") else "model",
        " do not fit together; ", if (length(tool)) "make it again" else "refit it", ".",
        arg = "object")
}

# The end of every fit: a model is made of parts that its methods can rely on.
made <- function(fit) {
  bad <- unsound_part(fit)
  if (is.null(bad)) return(fit)
  stop("Internal error: the part `", bad, "` of the model is not what sound-parts.R says.")
}

# The name of the first part that is not what its table says; "" for what is no list of parts.
unsound_part <- function(object) {
  if (!is.list(object) || !is_named_list(unclass(object))) return("")
  parts <- unclass(object)
  for (class in intersect(rev(class(object)), names(sound_parts))) {
    bad <- unsound_in(parts, sound_parts[[class]])
    if (!is.null(bad)) return(bad)
  }
  NULL
}

# Parts by their whole names: a list would take the beginning of one for it.
unsound_in <- function(parts, table, within = NULL) {
  names <- unique(names(table))
  m <- list2env(stats::setNames(parts[names], names), parent = emptyenv())
  for (i in seq_along(table)) {
    data <- list(v = m[[names(table)[i]]], m = m, within = within)
    good <- tryCatch(eval(table[[i]], data, topenv()), error = function(e) FALSE)
    if (!isTRUE(good)) return(names(table)[i])
  }
  NULL
}

# A part that is a list with a table of its own; `within` is the model that it belongs to.
has_parts <- function(v, table, within = NULL) {
  is_named_list(v) && is.null(unsound_in(v, table, within))
}

# ---- what the tables say -------------------------------------------------------------------------

is_named_list <- function(v) {
  named <- names(v)
  is.list(v) && (length(v) == 0L || is.character(named) && length(named) == length(v)) &&
    !anyDuplicated(named[!is.na(named)])
}

has_no_class <- function(v, n = NULL) !is.object(v) && (is.null(n) || length(v) == n)

# Finite numbers, without work memory; `na`: NA is among what they may be.
are_numbers <- function(v, n = NULL, min = -.Machine$double.xmax, max = .Machine$double.xmax,
                        na = FALSE) {
  if (!is.numeric(v) || !has_no_class(v, n) || !na && anyNA(v)) return(FALSE)
  suppressWarnings(min(v, na.rm = TRUE) >= min && max(v, na.rm = TRUE) <= max)
}

# Counts and indices.
are_whole <- function(v, n = NULL, min = 0, max = .Machine$integer.max, na = FALSE) {
  are_numbers(v, n, min, max, na) && (is.integer(v) || all(v == trunc(v), na.rm = TRUE))
}

are_flags <- function(v, n = NULL) is.logical(v) && has_no_class(v, n) && !anyNA(v)

are_texts <- function(v, n = NULL) is.character(v) && has_no_class(v, n) && !anyNA(v)

are_names <- function(v, n = NULL) are_texts(v, n) && !anyDuplicated(v)

is_text <- function(v) are_texts(v, 1L)

is_word <- function(v, words) is_text(v) && v %in% words

# A matrix of double numbers, as the core reads it.
is_grid <- function(v, rows, columns, na = FALSE) {
  is.double(v) && has_size(v, rows, columns) && are_numbers(v, na = na)
}

has_size <- function(v, rows, columns) {
  length(dim(v)) == 2L && all(dim(v) == c(rows, columns)) && has_dimnames(v)
}

has_dimnames <- function(v) {
  names <- dimnames(v)
  is.null(names) || all(vapply(names, function(n) is.null(n) || is.character(n), NA))
}

# The rows of a design that a model keeps.
are_rows <- function(v, rows, columns) {
  if (!is_sparse(v)) return(is.matrix(v) && is_grid(v, rows, columns))
  identical(class(v), structure("dgCMatrix", package = "Matrix")) &&
    identical(v@Dim, as.integer(c(rows, columns))) && identical(v@Dimnames, list(NULL, NULL)) &&
    is_sound_sparse(v) && are_numbers(v@x)
}

# A data frame with at least these columns, each of a type.
is_frame <- function(v, types, rows = NULL) {
  if (!inherits(v, "data.frame") || !is_named_list(unclass(v))) return(FALSE)
  labels <- attr(v, "row.names", TRUE)
  has_type <- function(column, type) {
    length(labels) == 0L || switch(type, text = is.character(column), number = is.numeric(column),
           flag = is.logical(column), factor = is_factor(column)) &&
      (type == "factor" || !is.object(column))
  }
  (is.null(rows) || length(labels) == rows) && (is.integer(labels) || is.character(labels)) &&
    !anyNA(labels) && !anyDuplicated(labels) && all(names(types) %in% names(v)) &&
    all(lengths(unclass(v)) == length(labels)) &&
    all(vapply(unclass(v), function(column) is.atomic(column) && is.null(dim(column)), NA)) &&
    all(mapply(has_type, unclass(v)[names(types)], types))
}

is_factor <- function(v, levels = attr(v, "levels", TRUE)) {
  inherits(v, "factor") && typeof(v) == "integer" && are_names(attr(v, "levels", TRUE)) &&
    identical(attr(v, "levels", TRUE), levels) &&
    are_whole(unclass(v)[seq_along(v)], NULL, 1, length(levels), na = TRUE)
}

# A list of n, each of which passes.
is_list_of <- function(v, n, passes) {
  is.list(v) && !is.object(v) && length(v) == n && all(vapply(v, function(e) isTRUE(passes(e)), NA))
}

# ---- parts that many models have -----------------------------------------------------------------

is_sound_formula <- function(v) {
  is.null(v) || is.call(v) && identical(v[[1L]], quote(`~`)) && length(v) == 3L
}

# Rows that na.action left out, of `rows` and them.
is_sound_omission <- function(v, rows) {
  is.null(v) || inherits(v, c("omit", "exclude", "fail", "pass")) && is.integer(v) &&
    are_whole(as.vector(v), NULL, 1, rows + length(v)) && !anyDuplicated(v)
}

is_sound_terms <- function(v) {
  if (is.null(v)) return(TRUE)
  factors <- attr(v, "factors", TRUE)
  variables <- attr(v, "predvars", TRUE) %||% attr(v, "variables", TRUE)
  inherits(v, "terms") && is.call(v) && length(v) == 2L && is.matrix(factors) &&
    are_whole(factors[TRUE], NULL, 0, 2) && are_names(dimnames(factors)[[1L]]) &&
    is.call(variables) && length(variables) == nrow(factors) + 1L && all(colSums(factors > 0) > 0)
}

is_sound_kind <- function(v) {
  if (inherits(v, "difftime")) return(length(v) == 0L && is_text(attr(v, "units")))
  is_text(v) || (is_factor(v) || inherits(v, "POSIXct")) && length(v) == 0L
}

are_sound_levels <- function(v) {
  is.null(v) || is_named_list(v) && all(vapply(v, function(l) are_names(l) && length(l) > 0L, NA))
}

# What was predicted for `rows` rows; `several` decision functions give a column each.
are_sound_answers <- function(v, m, rows) {
  several <- length(decision_names(m))
  if (m$task == "regression") {
    return(if (several > 1L) is_grid(v, rows, several) else is.double(v) && are_numbers(v, rows))
  }
  each <- function(label) length(label) == rows && is_factor(label, m$levels)
  if (is.null(m$class.weights)) return(each(v))
  is.data.frame(v) && is_frame(v, character(), rows) && all(vapply(unclass(v), each, NA))
}

are_sound_residuals <- function(v, m) {
  several <- if (is.null(m$class.weights)) 1L else nrow(m$class.weights)
  if (m$task == "regression") several <- max(1L, length(decision_names(m)))
  if (is.null(dim(v))) is.numeric(v) && has_no_class(v) && several == 1L && length(v) > 0L else
    is_grid(v, nrow(v), several, na = TRUE)
}

is_sound_calibration <- function(v, m) {
  if (is.null(v)) return(TRUE)
  K <- length(m$classes)
  pairs <- K * (K - 1) / 2
  shares <- is.null(v$frequency) || are_numbers(v$frequency, K, 0, 1)
  if (!is_named_list(v) || !shares) return(FALSE)
  if (length(v$a) && anyNA(v$a)) return(are_numbers(v$frequency, K, 0, 1))
  if (is_ovo(m)) return(are_numbers(v$a, pairs, 0) && are_numbers(v$b, pairs))
  are_numbers(v$a, 1L, 0) && (is.null(v$b) || are_numbers(v$b, K))
}

# What intervals, sets and curves are made of.
is_sound_cv <- function(v, m, rows) {
  if (is.null(v)) return(TRUE)
  names <- decision_names(m)
  columns <- max(1L, length(names))
  has_parts(v, cv_parts, list(m = m, rows = rows, columns = columns, names = names))
}

is_sound_scaling <- function(v, columns) has_parts(v, scaling_parts, columns)

is_sound_label <- function(v) are_numbers(v, 2L) && setequal(names(v), c("center", "half"))

# ---- kernels -------------------------------------------------------------------------------------

# `columns` is their number, or NULL where they may have names.
is_sound_node <- function(v, columns = NULL) {
  is.list(v) && has_parts(unclass(v), node_parts, columns)
}

are_sound_columns <- function(v, columns) {
  length(v) > 0L && if (is.null(columns) && is.character(v)) are_names(v) else
    is.integer(v) && !anyDuplicated(v) && are_whole(v, NULL, 1, columns %||% 1e9)
}

is_sound_function <- function(v, columns) {
  if (is_kernel_object(v)) is_sound_node(v, columns) else is.function(v)
}

# A source is centered at a row that is kept, or its values were given.
are_sound_sources <- function(v, blocks, rows) {
  given <- vapply(blocks, function(b) b$name %in% c("given", "intercept"), NA)
  nrow(v) == 0L || are_whole(v$kernel, NULL, 1, length(blocks)) && are_whole(v$place, NULL, 1) &&
    are_whole(v$row, NULL, 1, na = TRUE) && are_whole(v$center, NULL, 1, rows, na = TRUE) &&
    all(is.na(v$center) == given[v$kernel]) && are_numbers(v$mean) && are_numbers(v$scale)
}

# Groups in rising order, each with its machines; `positive` and `negative` are codes of classes.
are_sound_machines <- function(v, classes, pairing) {
  count <- if (classes == 2L) 1 else if (pairing == "ovr") classes else classes * (classes - 1) / 2
  nrow(v) == count && are_whole(v$group, NULL, 1, count) && !is.unsorted(v$group) &&
    all(seq_len(max(v$group)) %in% v$group) && are_whole(v$positive, NULL, 1, classes) &&
    are_whole(v$negative, NULL, pairing != "ovr" && classes > 2L, classes) &&
    are_whole(v$iterations) && !anyNA(v$name)
}

are_sound_views <- function(v, m) {
  radial <- vapply(m$kernels, function(k) identical(k$kernel, "radial"), NA)
  are_whole(v$group, NULL, 1, max(m$machines$group)) && !anyNA(v$name) &&
    are_whole(v$kernel, NULL, 1, length(m$kernels)) && are_whole(v$rank) && are_whole(v$size) &&
    are_numbers(v$gamma, NULL, 0, na = TRUE) && !anyNA(v$gamma[radial[v$kernel]])
}
