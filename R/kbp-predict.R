#' Predict with kernel basis pursuit
#'
#' @inheritParams predict.vpsvm
#' @param object A model made by [kbp()].
#' @param newdata A matrix or data frame. Columns are matched by name, extra ones are dropped, and
#'   the response is not needed. If the model or `newdata` has no column names, columns match by
#'   position. A plain vector with one value per column is one row. Without `newdata` and `s` the
#'   fitted values are returned.
#' @param s Where on the path: one number, or `NULL` for where the rule stopped.
#' @param mode How `s` counts: `"step"`, the breakpoint (0 is the empty model; numbers between two
#'   breakpoints lie between them); `"l1"`, the bound on \eqn{\sum |\beta|} in the unit of `y`;
#'   `"fraction"`, its share of that at the end of the path.
#' @param blocks For a model with matrices among its `kernels`, a list with the same sources at the
#'   rows of `newdata`: one matrix for each of these kernels, in their order.
#' @param threads,memory,verbose As in [kbp()].
#'
#' @return One entry or row for each row of `newdata`:
#' * `"response"`: a factor with the levels of the training response, or numbers in the unit of `y`
#'   (a matrix for several responses), clipped to the range of the training response if the model
#'   was fitted with `clip = TRUE`.
#' * `"decision"`: a matrix of decision values. Two classes: one column named `"b/a"`, second over
#'   first level, positive for the second. More classes: one column per class, on the scale of -1
#'   (not this class) to 1. The label is the largest, ties by level order. For regression the same
#'   numbers as `"response"`.
#' * `"prob"`: a matrix with one column per level, rows summing to 1, from a fit with
#'   `probability = TRUE`, for where the rule stopped; computed as by [predict.vpsvm()].
#' * `"votes"`: a matrix with one column per level, 1 for the label and 0 for the rest.
#'
#' @seealso [kbp()]
#' @examples
#' fit <- kbp(Species ~ ., iris, bandwidths = c(0.5, 1.5, 4.5), seed = 1)
#' predict(fit, iris[c(1, 51, 101), ])
#' predict(fit, iris[c(1, 51, 101), ], s = 0.5, mode = "fraction", type = "decision")
#' @export
predict.kbp <- function(object, newdata, type = c("response", "decision", "prob", "votes"),
                        s = NULL, mode = c("step", "l1", "fraction"), blocks = NULL,
                        na.action = stats::na.pass, novel = c("error", "na", "ignore"),
                        threads = NULL, memory = NULL,
                        verbose = getOption("flexkern.verbose", interactive()), ...) {
  check_dots(list(...), setdiff(names(formals(predict.kbp)), "..."), "predict")
  check_args(verbose = verbose)
  type <- check_choice(type, c("response", "decision", "prob", "votes"), "type")
  check_prediction(object, type, missing(newdata))
  if (!is.null(s)) {
    if (type == "prob") {
      abort('type = "prob" is calibrated for where the rule stopped; leave `s` out.', arg = "s")
    }
    object <- at_position(object, check_position(s, TRUE), mode)
  }
  if (missing(newdata)) return(stats::fitted(object))
  options <- list(threads = resolve_threads(threads), memory = resolve_memory(memory),
                  isa = resolve_isa(), verbose = verbose)
  new <- forge(newdata, object$blueprint, na.action, novel)
  given <- check_blocks(object, blocks, new)
  decision <- if (length(given)) {
    kbp_decision(object, apply_scaling(new$x, object$scaling), options, given)
  } else {
    by_blocks(object, new$x, options$memory, function(x) kbp_decision(object, x, options),
              function_values(object), "the support vectors")
  }
  in_place(kbp_answer(object, decision, type), new)
}

# Values of functions and hg_kernel() objects, of which a copy may be made, for each new row.
function_values <- function(object) {
  by_value <- vapply(object$blocks, function(b) !is.null(b[["function"]]), NA)
  2 * max(0, tabulate(object$sources$kernel, length(object$blocks))[by_value])
}

# The model at a place of its path.
at_position <- function(object, s, mode) {
  mode <- check_choice(mode, c("step", "l1", "fraction"), "mode")
  ends <- lapply(object$path, function(p) {
    raw_coef(path_coef(p, s, mode, nrow(object$sources)), p$mean, object$sources)
  })
  object$coef <- matrix(unlist(lapply(ends, `[[`, "coef")), nrow(object$sources), length(ends))
  object$intercept <- vapply(ends, `[[`, 0, "intercept", USE.NAMES = FALSE)
  object$fitted <- NULL
  object
}

# The given sources at new rows: one matrix for each matrix among the kernels.
check_blocks <- function(object, blocks, new) {
  wanted <- which(vapply(object$blocks, function(b) b$name == "given", NA))
  if (is.matrix(blocks)) blocks <- list(blocks)
  if (length(wanted) == 0L && length(blocks)) {
    abort("The model has no matrix among its kernels; leave `blocks` out.", arg = "blocks")
  }
  if (!(is.null(blocks) || is.list(blocks)) || length(blocks) != length(wanted)) {
    abort("The model needs ", length(wanted), plural(length(wanted), " matrix", " matrices"),
          " of given sources at the rows of `newdata`; give a list of as many as `blocks`, not ",
          describe(blocks), ".", arg = "blocks")
  }
  if (length(wanted) == 0L) return(list())
  names(blocks) <- wanted
  for (b in names(blocks)) {
    values <- blocks[[b]]
    needed <- max(0L, object$sources$place[object$sources$kernel == as.integer(b)])
    if (!is.matrix(values) || !is.numeric(values) || nrow(values) != new$n ||
          ncol(values) < needed) {
      abort("`blocks` must hold matrices with one row for each row of `newdata` (", new$n,
            ") and the columns of the fit, not ", describe(values), ".", arg = "blocks")
    }
    if (length(new$row) < new$n) blocks[[b]] <- values[new$row, , drop = FALSE]
    stop_not_finite(blocks[[b]], "blocks")
  }
  blocks
}

# Decision values: kernels by the core, functions and given sources here.
kbp_decision <- function(object, x, options, given = NULL) {
  src <- object$sources
  live <- rowSums(object$coef != 0) > 0
  parts <- list()
  extra <- 0
  slack <- target_rounding(object$intercept, nrow(x))
  for (b in unique(src$kernel[live])) {
    block <- object$blocks[[b]]
    if (block$name == "intercept") next
    at <- which(live & src$kernel == b)
    coef <- object$coef[at, , drop = FALSE]
    centers <- object$sv[src$center[at], block$columns, drop = FALSE]
    if (!is.null(block$kernel)) {
      parts <- c(parts, list(c(block, list(centers = centers, coef = coef))))
      bound <- kernel_bound(block, x[, block$columns, drop = FALSE], centers)
    } else if (!is.null(block[["function"]])) {
      values <- kernel_values(block[["function"]], x[, block$columns, drop = FALSE], centers,
                              block$where %||% "kernels", options, block$inputs)
      extra <- extra + values %*% coef
      bound <- row_max(abs(values))
    } else {
      values <- given[[as.character(b)]][, src$place[at], drop = FALSE]
      extra <- extra + values %*% coef
      bound <- row_max(abs(values))
    }
    slack <- slack + expansion_rounding(bound, coef)
  }
  out <- from_core(fk_kbp_predict(x, parts, object$intercept, options)) + extra
  if (!all(is.finite(out))) {
    abort("A kernel overflows on `newdata`; its values are too far from the training data.",
          arg = "newdata")
  }
  if (object$task == "classification") settle_rows(out, slack) else out
}

kbp_answer <- function(object, decision, type) {
  if (!is.null(object$range)) {
    decision[] <- pmin(pmax(c(decision), rep(object$range[1L, ], each = nrow(decision))),
                       rep(object$range[2L, ], each = nrow(decision)))
  }
  if (object$task == "regression" && ncol(decision) > 1L) {
    colnames(decision) <- object$names
    return(decision)
  }
  if (type == "votes") {
    return(all_levels(object, +outer(label_code(decision), seq_along(object$classes), "==")))
  }
  decision_answer(object, decision, type)
}
