#' Use a fitter of this package in caret
#'
#' Describes a fitter to [caret::train()], for its argument `method`.
#'
#' The table of tuning parameters has `gamma` and `lambda`. A 0 in `tuneGrid` leaves a parameter to
#' the fit, which then searches its own grid by its own cross-validation: that is what
#' `tuneLength = 1` does, and mostly the quickest way. A larger `tuneLength` takes that many values
#' of each. Further arguments of [caret::train()] are passed on to the fitter.
#'
#' @param method The name of the fitter, `"vpsvm"`.
#' @return A list as the custom models of \pkg{caret}: `label`, `library`, `type`, `parameters`,
#'   `grid`, `fit`, `predict`, `prob`, `sort`, `levels` and `predictors`.
#' @examplesIf requireNamespace("caret", quietly = TRUE)
#' set.seed(1)
#' caret::train(Species ~ ., data = iris, method = caret_method("vpsvm"), tuneLength = 1,
#'              trControl = caret::trainControl("cv", number = 3))
#' @export
caret_method <- function(method = "vpsvm") {
  fitters <- list(vpsvm = list(label = "Localized support vector machine", fit = vpsvm))
  fitter <- fitters[[check_choice(method, names(fitters), "method")]]
  list(
    label = fitter$label,
    library = "flexkern",
    type = c("Classification", "Regression"),
    parameters = data.frame(
      parameter = c("gamma", "lambda"), class = "numeric", label = c("Kernel width", "Penalty")
    ),
    grid = caret_grid,
    fit = caret_fit(fitter$fit),
    predict = function(modelFit, newdata, ...) stats::predict(modelFit, newdata),
    prob = function(modelFit, newdata, ...) stats::predict(modelFit, newdata, type = "prob"),
    sort = function(x) x[order(x$gamma, -x$lambda), ],
    levels = function(x) x$levels,
    predictors = function(x, ...) x$blueprint$columns,
    tags = c("Kernel Method", "Support Vector Machines", "Accepts Case Weights")
  )
}

# Inner values of the default grid, or none.
caret_grid <- function(x, y, len = NULL, search = "grid") {
  if (len == 1) return(data.frame(gamma = 0, lambda = 0))
  n <- nrow(x)
  width <- c(10, 0.5 * n^(-1 / ncol(x)))
  lambda <- c(0.1, 0.001 / n)
  at <- if (search == "grid") seq_len(len) / (len + 1) else stats::runif(len)
  between <- function(ends, at) exp(log(ends[1L]) + at * log(ends[2L] / ends[1L]))
  if (search == "grid") {
    return(expand.grid(gamma = 1 / between(width, at)^2, lambda = between(lambda, at)))
  }
  data.frame(gamma = 1 / between(width, at)^2, lambda = between(lambda, stats::runif(len)))
}

caret_fit <- function(fitter) {
  given <- function(value) if (value == 0) NULL else value
  function(x, y, wts, param, lev, last, classProbs, ...) {
    fitter(x, y, gamma = given(param$gamma), lambda = given(param$lambda), weights = wts,
           probability = classProbs && is.factor(y),
           type = if (is.factor(y)) "classification" else "regression", ...)
  }
}
