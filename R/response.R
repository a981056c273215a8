# The response and the weights.

# A one-column matrix or data frame is its column.
unwrap_response <- function(y) {
  if (is.data.frame(y) && ncol(y) == 1L) y <- y[[1L]]
  if (length(dim(y)) == 2L) {
    if (ncol(y) != 1L) abort_arg("y", y, "a vector or one column")
    y <- y[, 1L]
  }
  if (inherits(y, "AsIs")) class(y) <- setdiff(class(y), "AsIs")
  if (is.factor(y)) return(y)
  if (is_plain_number(y) && (is.null(dim(y)) || !is.object(y))) return(as.vector(unclass(y)))
  if (is.atomic(y) && !is.null(y) && !is.object(y) && !is.complex(y) && !is.raw(y)) {
    return(as.vector(y))
  }
  abort_arg("y", y, "a factor (classification) or a numeric vector (regression)")
}

# Several numeric responses as one matrix; NULL if `y` is anything else.
side_by_side <- function(y) {
  numbers <- is.numeric(y) || is.data.frame(y) && all(vapply(y, is.numeric, NA))
  if (length(dim(y)) != 2L || ncol(y) < 2L || !numbers) return(NULL)
  y <- as.matrix(y)
  y <- matrix(y, nrow(y), dimnames = list(NULL, colnames(y)))
  infinite <- sum(is.infinite(y))
  if (infinite == 0L) return(y)
  abort("`y` has ", infinite, plural(infinite, " infinite value"), " (Inf or -Inf); replace ",
        plural(infinite, "it", "them"), " or leave these rows out.", arg = "y")
}

# They go through the front door as the numbers of their rows, NA where one of them is incomplete.
complete_numbers <- function(responses) {
  row <- as.numeric(seq_len(nrow(responses)))
  row[is.na(rowSums(responses))] <- NA
  row
}

# What is learned: the task and an n x C matrix of targets in [-1, 1].
outcome <- function(y, type) {
  type <- check_choice(type, c("auto", "classification", "regression"), "type")
  if (type == "auto") type <- guess_task(y)
  if (type == "classification") classification_outcome(y) else regression_outcome(y)
}

guess_task <- function(y) {
  if (is.factor(y)) return("classification")
  if (is.character(y) || is.logical(y)) {
    message("`y` is ", if (is.logical(y)) "logical" else "character",
            " and is taken as a factor (classification).")
    return("classification")
  }
  if (all(y %in% 0:1)) {
    message("`y` is numeric with values 0 and 1, so this is regression; ",
            "give factor(y) for classification.")
  }
  "regression"
}

classification_outcome <- function(y) {
  y <- as.factor(y)
  if (anyNA(levels(y))) {
    abort("`y` has NA among its levels; give it a name or leave these rows out.", arg = "y")
  }
  classes <- levels(y)[tabulate(y, nlevels(y)) > 0L]
  if (length(classes) < 2L) {
    abort("`y` has only one class (", name_list(classes), "); classification needs at least two.",
          arg = "y")
  }
  code <- match(as.character(y), classes)
  target <- if (length(classes) == 2L) cbind(2 * code - 3) else
    2 * outer(code, seq_along(classes), "==") - 1
  list(task = "classification", levels = levels(y), classes = classes, ordered = is.ordered(y),
       code = code, target = target, center = 0, half = 1)
}

warn_single_class <- function(outcome) {
  single <- outcome$classes[tabulate(outcome$code) == 1L]
  if (length(single) == 0L) return(invisible())
  warn(plural(length(single), "Class ", "Classes "), name_list(single),
       plural(length(single), " has", " have"),
       " a single observation and cannot be cross-validated.")
}

# The label is scaled to [-1, 1] by its training range.
regression_outcome <- function(y) {
  if (!is.numeric(y) && !is.logical(y)) {
    abort("`y` is ", with_article(vector_kind(y)), ', but type = "regression" needs numbers.',
          arg = "y")
  }
  y <- as.numeric(y)
  if (any(is.infinite(y))) {
    abort("`y` has ", sum(is.infinite(y)), plural(sum(is.infinite(y)), " infinite value"),
          " (Inf or -Inf); replace them or leave these rows out.", arg = "y")
  }
  ends <- range(y) / 2
  half <- ends[2L] - ends[1L]
  if (half == 0) half <- 1
  center <- ends[1L] + ends[2L]
  list(task = "regression", code = rep(1L, length(y)), target = cbind((y - center) / half),
       center = center, half = half)
}

# ---- weights ---------------------------------------------------------------------------------

check_weights <- function(weights, n) {
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || is.object(weights) || length(weights) != n) {
    abort_arg("weights", weights, paste("a numeric vector of length", n))
  }
  faults <- list("missing" = is.na(weights), "infinite" = is.infinite(weights),
                 "negative" = !is.na(weights) & weights < 0)
  for (fault in names(faults)) {
    at <- which(faults[[fault]])
    if (length(at)) {
      abort("`weights` has ", if (length(at) == 1L) with_article(fault) else fault,
            plural(length(at), " value at position ", " values at positions "),
            paste(utils::head(at, 5L), collapse = ", "), if (length(at) > 5L) ", ...",
            "; give every row a number of at least 0.", arg = "weights")
    }
  }
  if (all(weights == 0)) {
    abort("`weights` are all 0; at least one must be positive.", arg = "weights")
  }
  near_one(as.vector(weights))
}

# Only ratios of weights matter: the largest one comes into [1, 2), without rounding.
near_one <- function(weights) weights / 2^floor(log2(max(weights)))

# Case weight times class weight. Only ratios matter: the core scales them to mean 1 within each
# problem that it solves.
row_weights <- function(weights, class.weights, outcome) {
  w <- weights %||% rep(1, length(outcome$code))
  if (is.null(class.weights)) return(w)
  w * class_weights(class.weights, outcome, w)[outcome$code]
}

# One number per class; `w` are the case weights.
class_weights <- function(class.weights, outcome, w) {
  if (outcome$task != "classification") {
    abort("`class.weights` were given, but this is regression; use `weights`.",
          arg = "class.weights")
  }
  classes <- outcome$classes
  if (identical(class.weights, "inverse")) {
    return(near_one(1 / class_counts(outcome$code, w, length(classes))))
  }
  named <- is.numeric(class.weights) && length(class.weights) && !is.null(names(class.weights)) &&
    all(is.finite(class.weights)) && all(class.weights > 0)
  if (!named) {
    abort_arg("class.weights", class.weights, 'positive numbers named by class, or "inverse"')
  }
  unknown <- setdiff(names(class.weights), outcome$levels)
  if (length(unknown) || anyDuplicated(names(class.weights))) {
    abort("`class.weights` must name each class at most once; the classes are ",
          name_list(outcome$levels, 10L), if (length(unknown)) ", not ",
          if (length(unknown)) name_list(unknown), ".", arg = "class.weights")
  }
  weights <- unname(class.weights)[match(classes, names(class.weights))]
  near_one(ifelse(is.na(weights), 1, weights))
}
