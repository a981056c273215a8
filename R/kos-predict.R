#' Predict with kernel-based optimal subspaces
#'
#' @param object A model made by [kos()].
#' @param newdata,na.action,novel,threads,memory,verbose As in [predict.vpsvm()].
#' @param type What to return; see Value.
#' @param ... Nothing: an unknown argument is an error.
#' @return One entry or row for each row of `newdata`:
#' * `"response"`: a factor with the levels of the training response; ties go to the first level.
#' * `"decision"`: a matrix with one column per class: minus the squared distance to the nearest
#'   subspace of the class in feature space, from -1 to 0 (`centered = TRUE`: from -4). Two classes:
#'   one column `"b/a"`, the squared distance to the first class minus that to the second, positive
#'   for the second.
#' * `"prob"`: a matrix with one column per level, rows summing to 1, from a fit with
#'   `probability = TRUE`; see [predict.vpsvm()].
#' * `"votes"`: a matrix with one column per level: 1 for the label, 0 for the rest.
#' @seealso [kos()]
#' @examples
#' fit <- kos(Species ~ ., data = iris, probability = TRUE, seed = 1)
#' predict(fit, iris[c(1, 51, 101), ])
#' predict(fit, iris[c(1, 51, 101), ], type = "decision")
#' predict(fit, iris[c(1, 51, 101), ], type = "prob")
#' @export
predict.kos <- function(object, newdata, type = c("response", "decision", "prob", "votes"),
                        na.action = stats::na.pass, novel = c("error", "na", "ignore"),
                        threads = NULL, memory = NULL,
                        verbose = getOption("flexkern.verbose", interactive()), ...) {
  check_dots(list(...), setdiff(names(formals(predict.kos)), "..."), "predict")
  check_args(verbose = verbose)
  type <- check_choice(type, c("response", "decision", "prob", "votes"), "type")
  check_prediction(object, type, missing(newdata))
  if (missing(newdata)) return(stats::fitted(object))
  options <- list(threads = resolve_threads(threads), memory = resolve_memory(memory),
                  verbose = verbose)
  new <- forge(newdata, object$blueprint, na.action, novel)
  new$x <- dense_rows(new$x, options$memory)
  shape <- c(object[c("scaling", "sv", "offset")],
             list(coef = matrix(0, 0L, max(object$subspaces$rank) + 1L),
                  centers = matrix(0, 0L, 0L)))
  decision <- by_blocks(shape, new$x, options$memory,
                        function(x) kos_decision(object, x, options),
                        held = "the rows of a subspace")
  answer <- if (type == "votes") label_votes(object, decision) else
    decision_answer(object, decision, type)
  in_place(answer, new)
}

label_votes <- function(object, decision) {
  all_levels(object, 1 * outer(label_code(decision), seq_along(object$classes), "=="))
}
