#' Importance of columns
#'
#' How much worse a model predicts when the values of one column are shuffled among the rows; or,
#' for [hgsvm()] without `newdata`, the share of a column in the learned weights.
#'
#' A column that the model does not need keeps its error, and its importance is about 0; it can be
#' slightly negative. Use rows that the model has not seen: on the training rows noise that was
#' learned counts as important. Columns that carry the same information share their importance.
#'
#' The weights that [hgsvm()] learned say how fast the kernel's squared distance grows with each
#' column for rows near to each other: \eqn{D(x, x') \approx \sum_j c_j (x_j - x'_j)^2} with
#' \eqn{c_j} the sum over the nodes of the first layer of \eqn{v_j^2} times \eqn{2 w^2} for each
#' node above. `importance()` gives the shares of the \eqn{c_j}. They refer to the scaled columns
#' and say what the kernel looks at, not what is gained by it.
#'
#' The methods also serve the generics of the same name in the packages \pkg{randomForest} and
#' \pkg{ranger}, and this generic passes models of those packages on to their own methods, so that
#' the order in which packages are attached does not matter.
#'
#' @param x A fitted model.
#' @param newdata A matrix, sparse matrix or data frame with the columns of the model.
#' @param y The response of these rows. A model made from a formula takes it from `newdata`.
#' @param nperm Number of times that each column is shuffled.
#' @param seed A whole number for the shuffles; by default one number is drawn from R's stream.
#' @param threads,memory As in [predict.vpsvm()].
#' @param verbose `TRUE` for a progress message at most once a second.
#' @param ... Nothing: an unknown argument is an error.
#' @return A named numeric vector with one entry per original column (a factor is one column): the
#'   mean increase over `nperm` shuffles of the misclassification rate, or for regression of the
#'   mean loss that the model was fitted under (mostly the squared error, in the squared unit of
#'   `y`); with several levels `tau` or pairs of class weights, of their mean. Rows with a missing
#'   value are left out. For [hgsvm()] without `newdata`: numbers that sum to 1.
#' @seealso [predict.vpsvm()]
#' @examples
#' train <- seq(1, 150, by = 2)
#' fit <- vpsvm(Species ~ ., data = iris[train, ], seed = 1)
#' importance(fit, iris[-train, ], seed = 1)
#' @export
importance <- function(x, ...) UseMethod("importance")

#' @rdname importance
#' @export
#' @rawNamespace S3method(randomForest::importance, vpsvm)
#' S3method(ranger::importance, vpsvm)
importance.vpsvm <- function(x, newdata, y = NULL, nperm = 10, seed = NULL, threads = NULL,
                             memory = NULL,
                             verbose = getOption("flexkern.verbose", interactive()), ...) {
  check_dots(list(...), setdiff(names(formals(importance.vpsvm)), "..."), "importance")
  check_args(nperm = nperm, seed = seed, verbose = verbose)
  check_version(x)
  check_sound(x)
  if (missing(newdata)) {
    abort("`newdata` is missing; the model keeps no data, so give the rows to predict.",
          arg = "newdata")
  }
  frame <- match_columns(new_frame(newdata, x$blueprint), x$blueprint)
  y <- given_response(x, newdata, y, nrow(frame))
  loss <- function(frame) {
    answer <- stats::predict(x, frame, threads = threads, memory = memory, verbose = FALSE)
    rowMeans(row_loss(x, response_error(x, answer, y)))
  }
  permutation_importance(frame, loss, nperm, draw_seed(seed), x$blueprint, verbose)
}

#' @rdname importance
#' @export
#' @rawNamespace S3method(randomForest::importance, kbp)
#' S3method(ranger::importance, kbp)
importance.kbp <- function(x, newdata, y = NULL, nperm = 10, seed = NULL, threads = NULL,
                           memory = NULL,
                           verbose = getOption("flexkern.verbose", interactive()), ...) {
  importance.vpsvm(x, newdata, y, nperm, seed, threads, memory, verbose, ...)
}

#' @rdname importance
#' @export
#' @rawNamespace S3method(randomForest::importance, rmekl)
#' S3method(ranger::importance, rmekl)
importance.rmekl <- importance.vpsvm

#' @rdname importance
#' @export
#' @rawNamespace S3method(randomForest::importance, hgsvm)
#' S3method(ranger::importance, hgsvm)
importance.hgsvm <- function(x, newdata, y = NULL, nperm = 10, seed = NULL, threads = NULL,
                             memory = NULL,
                             verbose = getOption("flexkern.verbose", interactive()), ...) {
  if (missing(newdata)) {
    check_dots(list(...), setdiff(names(formals(importance.hgsvm)), "..."), "importance")
    return(weight_shares(x))
  }
  importance.vpsvm(x, newdata, y, nperm, seed, threads, memory, verbose, ...)
}

# Per original column, or term that transforms one; a factor's indicators add up.
weight_shares <- function(x) {
  check_version(x)
  check_sound(x)
  growth <- colSums(leaf_weights(x$hierarchy, ncol(x$sv)))
  names <- source_columns(x$blueprint)
  shares <- vapply(seq_along(names), function(j) sum(growth[x$blueprint$source == j]), 0)
  stats::setNames(shares / max(sum(shares), 1e-300), names)
}

# Models of other packages, when this generic hides theirs.
#' @export
importance.default <- function(x, ...) {
  packages <- intersect(c("randomForest", "ranger"), loadedNamespaces())
  for (package in packages) for (class in class(x)) {
    theirs <- utils::getS3method("importance", class, TRUE, asNamespace(package))
    if (!is.null(theirs)) return(theirs(x, ...))
  }
  abort("There is no importance() for ", with_article(vector_kind(x)), ".", arg = "x")
}

# The response of new rows: for classification as text.
given_response <- function(object, newdata, y, n) {
  if (is.null(y)) {
    if (is.null(object$formula)) {
      abort("The model was fitted with x and y; give `y`, the response of `newdata`.", arg = "y")
    }
    y <- formula_response(object$formula[[2L]], as_data(newdata))
  }
  y <- unwrap_response(y)
  if (length(y) != n) {
    abort("`y` has length ", length(y), ", but `newdata` has ", n, plural(n, " row"),
          "; they must agree.", arg = "y")
  }
  if (object$task == "classification") {
    unknown <- setdiff(as.character(y), c(object$levels, NA))
    if (length(unknown)) {
      abort("`y` has the ", plural(length(unknown), "value"), " ", name_list(unknown),
            ", which the model has no class for.", arg = "y")
    }
    return(as.character(y))
  }
  if (is.logical(y)) y <- as.numeric(y)
  if (!is.numeric(y)) abort_arg("y", y, "numeric, as the model is a regression")
  y
}

# Only functions and pi may come from elsewhere.
formula_response <- function(expr, data) {
  absent <- setdiff(variables_read(expr), c(names(data), "pi"))
  if (length(absent)) {
    abort("`newdata` lacks ", name_list(absent), " of the response; add it or give `y`.",
          arg = "newdata")
  }
  in_data(expr, data, globalenv(), "response")
}

permutation_importance <- function(frame, loss, nperm, seed, blueprint, verbose) {
  before <- loss(frame)
  used <- which(!is.na(before))
  if (length(used) < 2L) {
    abort("`newdata` needs at least 2 complete rows, not ", length(used), ".", arg = "newdata")
  }
  columns <- seq_len(ncol(frame))
  increase <- matrix(0, nperm, length(columns))
  show <- progress_shower("importance", length(increase), verbose)
  with_seed(seed, for (j in columns) for (k in seq_len(nperm)) {
    shuffled <- shuffle_column(frame, j, used)
    increase[k, j] <- mean(loss(shuffled)[used] - before[used])
    show((j - 1) * nperm + k)
  })
  stats::setNames(colMeans(increase), blueprint$columns %||% paste0("V", columns))
}

shuffle_column <- function(frame, j, rows) {
  from <- rows[sample.int(length(rows))]
  if (is.data.frame(frame)) {
    if (length(dim(frame[[j]])) == 2L) frame[[j]][rows, ] <- frame[[j]][from, ] else
      frame[[j]][rows] <- frame[[j]][from]
  } else {
    frame[rows, j] <- frame[from, j]
  }
  frame
}

# A function of the number of steps done, which says so at most once a second.
progress_shower <- function(what, total, verbose) {
  last <- proc.time()[["elapsed"]]
  function(done) {
    now <- proc.time()[["elapsed"]]
    if (!verbose || now - last < 1) return(invisible())
    last <<- now
    message("flexkern: ", what, ", ", done, " of ", total)
  }
}
