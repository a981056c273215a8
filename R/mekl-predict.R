#' Predict with several kernels
#'
#' @param object A model made by [rmekl()], [mhks()], [kmhks()] or [svm2k()].
#' @param newdata,na.action,novel,threads,memory,verbose As in [predict.vpsvm()].
#' @param type What to return; see Value.
#' @param ... Nothing: an unknown argument is an error.
#' @return One entry or row for each row of `newdata`:
#' * `"response"`: a factor with the levels of the training response.
#' * `"decision"`: a matrix of decision values. Two classes: one column named `"b/a"`, second over
#'   first level, positive for the second. More classes, one-versus-rest: one column per class, the
#'   value of its machine. More classes, one-versus-one: one column per class, its number of votes
#'   plus \eqn{s / (3 (1 + |s|))} with \eqn{s} the sum of its signed decision values, which breaks
#'   ties. The label is the largest, ties by level order.
#' * `"pairs"`: a matrix with one column for each machine and its decision value.
#' * `"prob"`: a matrix with one column per level, rows summing to 1, from a fit with
#'   `probability = TRUE`; computed as by [predict.vpsvm()].
#' * `"votes"`: a matrix with one column per level: the share of the machines that vote for it
#'   (one-versus-one), or 1 for the label and 0 for the rest.
#' @seealso [rmekl()]
#' @examples
#' fit <- rmekl(Species ~ ., iris, c = 0.1, lambda = 1)
#' predict(fit, iris[c(1, 51, 101), ])
#' predict(fit, iris[c(1, 51, 101), ], type = "pairs")
#' @export
predict.rmekl <- function(object, newdata, type = c("response", "decision", "pairs", "prob",
                                                    "votes"),
                          na.action = stats::na.pass, novel = c("error", "na", "ignore"),
                          threads = NULL, memory = NULL,
                          verbose = getOption("flexkern.verbose", interactive()), ...) {
  check_dots(list(...), setdiff(names(formals(predict.rmekl)), "..."), "predict")
  check_args(verbose = verbose)
  type <- check_choice(type, c("response", "decision", "pairs", "prob", "votes"), "type")
  check_prediction(object, type, missing(newdata))
  if (missing(newdata)) return(stats::fitted(object))
  options <- list(threads = resolve_threads(threads), memory = resolve_memory(memory),
                  isa = resolve_isa(), verbose = verbose)
  new <- forge(newdata, object$blueprint, na.action, novel)
  answer <- switch(
    type, pairs = , votes = mekl_by_blocks(object, new$x, options, mekl_values),
    mekl_by_blocks(object, new$x, options)
  )
  if (type == "pairs") colnames(answer) <- object$machines$name
  answer <- switch(type, pairs = answer, votes = mekl_votes(object, answer),
                   decision_answer(object, answer, type))
  in_place(answer, new)
}

mekl_by_blocks <- function(object, x, options, values = mekl_decision) {
  shape <- list(scaling = object$scaling, sv = object$sv,
                coef = matrix(0, 0L, nrow(object$machines)))
  by_value <- vapply(object$kernels, function(k) is.null(k$kernel), NA)[object$views$kernel]
  by_blocks(shape, x, options$memory, function(x) values(object, x, options),
            2 * max(0, lengths(object$position)[by_value]), "the basis rows")
}

# The decision value of each machine, one a column: kernels by the core, functions here.
mekl_values <- function(object, x, options) {
  parts <- list()
  extra <- matrix(0, nrow(x), nrow(object$machines))
  slack <- target_rounding(object$intercept, nrow(x))
  first <- match(seq_len(max(object$views$group)), object$machines$group)
  for (v in which(lengths(object$position) > 0L)) {
    kernel <- object$kernels[[object$views$kernel[v]]]
    at <- first[object$views$group[v]]
    coef <- object$coef[[v]]
    centers <- object$sv[object$position[[v]], kernel$columns, drop = FALSE]
    to <- at - 1L + seq_len(ncol(coef))
    if (is.null(kernel$kernel)) {
      found <- function_expansion(kernel, x, centers, coef, object$views$kernel[v], options)
      extra[, to] <- extra[, to] + found$values
      slack[, to] <- slack[, to] + found$slack
    } else {
      bound <- kernel_bound(kernel, x[, kernel$columns, drop = FALSE], centers)
      slack[, to] <- slack[, to] + expansion_rounding(bound, coef)
      if (kernel$kernel == "radial") kernel$gamma <- object$views$gamma[v]
      parts <- c(parts, list(c(kernel, list(basis = object$position[[v]], coef = coef,
                                            first = at))))
    }
  }
  out <- from_core(fk_mekl_predict(x, object$sv, parts, object$intercept, options)) + extra
  if (!all(is.finite(out))) {
    abort("A kernel overflows on `newdata`; its values are too far from the training data.",
          arg = "newdata")
  }
  if (length(object$classes) > 2L && object$pairing == "ovr") settle_rows(out, slack) else
    settle_signs(out, slack)
}

# In pieces whose kernel values, with what the function makes on the way, fit the budget.
function_expansion <- function(kernel, x, centers, coef, number, options) {
  out <- slack <- matrix(0, nrow(x), ncol(coef))
  size <- max(smallest_block, floor(options$memory / (32 * nrow(centers))))
  for (first in size * (seq_len(ceiling(nrow(x) / size)) - 1) + 1) {
    rows <- first:min(nrow(x), first + size - 1)
    values <- kernel_values(kernel[["function"]], x[rows, kernel$columns, drop = FALSE], centers,
                            paste0("kernels[[", number, "]]"), options, kernel$inputs)
    out[rows, ] <- values %*% coef
    slack[rows, ] <- expansion_rounding(row_max(abs(values)), coef)
  }
  list(values = out, slack = slack)
}

mekl_decision <- function(object, x, options) {
  mekl_scores(object, mekl_values(object, x, options))
}

# ---- several classes -----------------------------------------------------------------------------

# One column for two classes or per class; the largest is the label. Between two classes the
# machine's sign is a vote; equal votes go to the larger sum of signed values.
mekl_scores <- function(object, values) {
  if (length(object$classes) == 2L || object$pairing == "ovr") return(values)
  sum <- matrix(0, nrow(values), length(object$classes))
  for (m in seq_len(ncol(values))) {
    p <- object$machines$positive[m]
    q <- object$machines$negative[m]
    sum[, p] <- sum[, p] + values[, m]
    sum[, q] <- sum[, q] - values[, m]
  }
  settle_rows(pair_votes(object, values) + sum / (3 * (1 + abs(sum))),
              rounding_of(ncol(sum) + rowSums(abs(values))))
}

pair_votes <- function(object, values) {
  votes <- matrix(0, nrow(values), length(object$classes))
  for (m in seq_len(ncol(values))) {
    p <- object$machines$positive[m]
    q <- object$machines$negative[m]
    votes[, p] <- votes[, p] + (values[, m] > 0)
    votes[, q] <- votes[, q] + (values[, m] <= 0)
  }
  votes
}

mekl_votes <- function(object, values) {
  if (length(object$classes) > 2L && object$pairing == "ovr") {
    return(all_levels(object, +outer(label_code(values), seq_along(object$classes), "==")))
  }
  all_levels(object, pair_votes(object, values) / max(ncol(values), 1L))
}
