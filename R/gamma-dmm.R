#' Kernel width from the geometry of the classes
#'
#' The closed-form width of Remaki (dual min-max): in the feature space of the Gaussian kernel,
#' small class diameters want a small \eqn{\gamma} and large distances between the classes a large
#' one. With \eqn{D} the largest diameter of a class and \eqn{d} a distance between the classes, the
#' compromise is the minimum of
#' \deqn{G(\gamma) = \lambda \gamma D^2 + (1 - \lambda) / (\gamma d^2),}{
#' G(gamma) = lambda gamma D^2 + (1 - lambda) / (gamma d^2),}
#' that is \eqn{\gamma = \sqrt{(1 - \lambda) / \lambda} / (D d)}. Nothing is searched and no model
#' is fitted.
#'
#' In \eqn{\exp(-|u - v|^2 / (2 \sigma^2))} the same kernel has
#' \eqn{\sigma = \sqrt{1 / (2 \gamma)}}, for \eqn{\lambda = 1/2} \eqn{\sqrt{D d / 2}}. The paper
#' prints \eqn{\sqrt{1 / (2 D d)}}, which has the unit of an inverse length and cannot be meant.
#'
#' @section Distances:
#' The paper replaces the smallest distance between classes by an average that it does not define in
#' the parts open to us. The choices, all exact whatever the number of rows:
#' * `"nn"` (default): the mean over all rows of the distance to the nearest row of another class;
#' * `"pair_min"`: the mean over pairs of classes of their smallest distance, the literal reading,
#'   which for two classes is the smallest distance itself;
#' * `"pair_mean"`: the mean over pairs of classes of their mean distance;
#' * `"centroid"`: the mean distance between the class means;
#' * `"min"`: the smallest distance between two classes.
#'
#' @section Scaling:
#' `gamma(c * x)` is `gamma(x) / c^2`, but columns scaled one by one change it, so the width belongs
#' to the scaling under which it was found. The object carries that scaling: `vpsvm(gamma = g)` and
#' `kos(gamma = g)` adopt it. For [e1071::svm()], which standardizes by default, use
#' `gamma_dmm(scale = "standardize")` and `svm(gamma = as.numeric(g))`.
#'
#' @section Special cases:
#' Rows of different classes that coincide have no part in \eqn{d} (`"nn"`), or the smallest
#' positive distance of the two classes is taken (`"min"`, `"pair_min"`); a class of one row has
#' diameter 0; if all diameters are 0, \eqn{D = d}. One warning says so. It is an error if there are
#' fewer than two classes or all rows of different classes coincide. Levels without rows are left
#' out.
#'
#' @param x A numeric matrix (rows are observations), a sparse matrix (made dense here) or a data
#'   frame; or a formula.
#' @param formula,data,subset As in [vpsvm()].
#' @param y The classes: a factor, or text or logical values.
#' @param distance Which distance between the classes \eqn{d} is.
#' @param lambda The weight \eqn{\lambda} of the diameter, strictly between 0 and 1.
#' @param scale As in [vpsvm()]: `"range"` (each column to \eqn{[-1, 1]}), `"standardize"` or
#'   `"none"`.
#' @param max.n With more rows than this, \eqn{d} is computed on a random sample of so many, with a
#'   row of every class and beyond that their shares, which makes `"nn"` and the smallest distances
#'   larger. Diameters use all rows.
#' @param threads,memory,verbose,seed,na.action As in [vpsvm()]; `seed` is used by `max.n` alone.
#' @param ... For the formula method, the arguments of the default method. Anything unknown is an
#'   error.
#' @return A list of class `gamma_dmm`; `as.numeric()` of it is \eqn{\gamma}. With
#'   \item{gamma, sigma}{the width in its two forms}
#'   \item{D_max, d, distance, lambda}{what it was made of, in the unit of the scaled columns;
#'     `D_max` is `d` where all diameters are 0}
#'   \item{diameters}{a data frame with one row per class: `class`, `size`, `diameter`, and the two
#'     rows that attain it (`row1`, `row2`, counted without rows left out; `NA` for a single row)}
#'   \item{closest}{a data frame of the closest rows of different classes: for `"nn"` and `"min"`
#'     one pair, for `"pair_min"` one of each pair of classes, else `NULL`}
#'   \item{coincident}{how many distances of 0 were left out or replaced}
#'   \item{scaling, columns}{the scaling and the columns it belongs to; `vpsvm()` and `kos()` match
#'     them by name}
#'   \item{n, sampled}{rows, and rows used for \eqn{d}}
#' @references Remaki, L. RBF kernel parameter formula. arXiv:2604.01258 (the function \eqn{G} and
#'   its minimum).
#' @seealso [plot.gamma_dmm()], [gamma_median()] for regression, [kos()]
#' @examples
#' g <- gamma_dmm(Species ~ ., data = iris)
#' g
#' vpsvm(Species ~ ., data = iris, gamma = g, lambda = 1e-3)
#' gamma_dmm(iris[1:4], iris$Species, distance = "pair_min")$closest
#' @export
gamma_dmm <- function(x, ...) UseMethod("gamma_dmm")

#' @rdname gamma_dmm
#' @export
gamma_dmm.formula <- function(formula, data = NULL, ..., subset, na.action = stats::na.fail) {
  fit_formula("gamma_dmm", gamma_dmm.default, match.call(), environment(), list(...))
}

#' @rdname gamma_dmm
#' @export
gamma_dmm.default <- function(x, y, distance = c("nn", "pair_min", "pair_mean", "centroid", "min"),
                              lambda = 0.5, scale = "range", max.n = Inf, threads = NULL,
                              memory = NULL, verbose = getOption("flexkern.verbose", interactive()),
                              seed = NULL, na.action = stats::na.fail, ...) {
  call <- match.call()
  check_fit_call("gamma_dmm", gamma_dmm.default, missing(x), list(...))
  distance <- check_choice(distance, c("nn", "pair_min", "pair_mean", "centroid", "min"),
                           "distance")
  check_args(max.n = max.n, verbose = verbose, seed = seed)
  if (!is_share(lambda)) abort_arg("lambda", lambda, share$want)
  memory <- resolve_memory(memory)
  input <- fit_input(x, y, NULL, na.action, missing(na.action), memory = memory)
  if (is.numeric(input$y)) stop_dmm_regression("gamma_dmm()")
  outcome <- outcome(input$y, "classification")
  scaling <- learn_scaling(input$x, input$blueprint, scale)
  options <- list(threads = resolve_threads(threads), memory = memory,
                  verbose = verbose, max.n = max.n, seed = seed)
  x <- apply_scaling(input$x, scaling)
  if (is_sparse(x)) x <- filled_columns(x)
  width <- dmm_width(dense_rows(x, options$memory), outcome, distance, lambda, options)
  structure(
    c(width, list(distance = distance, lambda = lambda, scaling = scaling,
                  columns = input$blueprint$names, blueprint = input$blueprint, n = nrow(input$x),
                  version = package_version_string(), call = trim_call(call, "gamma_dmm"))),
    class = "gamma_dmm"
  )
}
