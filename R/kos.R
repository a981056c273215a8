#' Kernel-based optimal subspaces
#'
#' A classifier without optimisation (Remaki): the rows of each class, mapped into the feature space
#' of the Gaussian kernel, span a subspace of few dimensions, found by proper orthogonal
#' decomposition of the class's kernel matrix. A new row belongs to the class whose subspace is
#' nearest. The kernel width comes from [gamma_dmm()] unless one is given, so that nothing is
#' searched.
#'
#' With the eigenvalues \eqn{\lambda_k} and eigenvectors \eqn{v_k} of the kernel matrix of a class's
#' rows \eqn{x_i}, the squared distance of \eqn{z} to the subspace of dimension \eqn{r} is
#' \deqn{K(z, z) - \sum_{k \le r} \lambda_k^{-1} \Big(\sum_i v_{ik} K(x_i, z)\Big)^2.}{K(z, z) -
#' sum_k (sum_i v_ik K(x_i, z))^2 / lambda_k.}
#' `centered = TRUE` takes the affine subspace through the class's mean. The dimension is the
#' smallest that holds the share `energy` of the sum of the eigenvalues and does not part equal
#' ones, or `rank`. At `energy = 1` every training row has distance 0 to its class, so the training
#' error says nothing. Distances that differ by no more than the rounding of the decomposition are
#' ties.
#'
#' A class with more than `max.class` rows is cut into compact parts of nearly equal size, halved
#' along their first principal direction; each part has a subspace and the nearest one counts. This
#' is ours, as are the case weights: a row of weight 2 counts as two equal rows.
#'
#' The method of the packages \pkg{biClassify} and \pkg{sparseKOS}, kernel optimal scoring, shares
#' the three letters and nothing else.
#'
#' @param x,y,formula,data,subset,na.action,weights As in [vpsvm()]; `y` gives the classes.
#' @param gamma One positive number, an object made by [gamma_dmm()] (whose scaling is then
#'   adopted), `"dmm"` or `"median"`.
#' @param centered `TRUE` for subspaces through the class means, `FALSE` for subspaces through 0.
#' @param energy Share of the sum of the eigenvalues that a subspace holds, at most 1.
#' @param rank The dimension of every subspace, instead of `energy`.
#' @param max.class Largest number of rows of one subspace. Its eigendecomposition takes time with
#'   the cube of them and cannot be interrupted.
#' @param folds Number of folds of a cross-validation with the same width, for `cv.error` and the
#'   probabilities; `NULL` for 5 with `probability = TRUE` and else none.
#' @param scale,threads,memory,device,verbose As in [vpsvm()].
#' @param probability `TRUE` to calibrate class probabilities, as in [vpsvm()].
#' @param type `"auto"` or `"classification"`, which takes numbers for classes.
#' @param seed A whole number for the folds; by default one number is drawn from R's stream if there
#'   are folds, and none otherwise.
#' @param ... For the formula method, the arguments of the default method. Anything unknown is an
#'   error.
#' @return A list of class `kos`, free of environments and pointers, with among others
#'   \item{gamma}{the kernel width}
#'   \item{subspaces}{a data frame with one row per subspace: `class`, `size` (rows), `rank` and
#'     `energy`, the share that it holds}
#'   \item{spectrum}{a list: the eigenvalues of each subspace's kernel matrix, falling}
#'   \item{sv, index, offset}{the rows (scaled), their numbers in the training data, and where each
#'     subspace's begin}
#'   \item{cv.error}{cross-validated misclassification rate, `NA` without folds}
#'   \item{fitted, residuals}{on the training rows; the residual is 1 where the label is wrong}
#' @references Remaki, L. (2026) Kernel-based optimal subspaces (KOS). Machine Learning and
#'   Knowledge Extraction 8(2), 52. The formulas here are the method of snapshots written out.
#' @seealso [predict.kos()], [plot.kos()], [gamma_dmm()]
#' @examples
#' fit <- kos(Species ~ ., data = iris)
#' fit
#' table(predict(fit, iris), iris$Species)
#' kos(Species ~ ., data = iris, centered = TRUE, rank = 5, folds = 5, seed = 1)$cv.error
#' @export
kos <- function(x, ...) UseMethod("kos")

#' @rdname kos
#' @export
kos.formula <- function(formula, data = NULL, ..., subset, weights, na.action = stats::na.fail) {
  fit_formula("kos", kos.default, match.call(), environment(), list(...))
}

#' @rdname kos
#' @export
kos.default <- function(x, y, gamma = "dmm", centered = FALSE, energy = 0.99, rank = NULL,
                        max.class = 500, folds = NULL, scale = "range", weights = NULL,
                        probability = FALSE, type = c("auto", "classification"), threads = NULL,
                        memory = NULL, device = c("auto", "cpu", "cuda"),
                        verbose = getOption("flexkern.verbose", interactive()), seed = NULL,
                        na.action = stats::na.fail, ...) {
  call <- match.call()
  check_fit_call("kos", kos.default, missing(x), list(...))
  s <- kos_settings(with_given(list(
    gamma = gamma, centered = centered, energy = energy, rank = rank, max.class = max.class,
    folds = folds, scale = scale, probability = probability, type = type, threads = threads,
    memory = memory, device = device, verbose = verbose, seed = seed
  ), call))
  s$scale_asked <- !missing(scale)
  if (inherits(x, "sparseMatrix")) check_dense(dim(x), s$memory)
  input <- fit_input(x, y, weights, na.action, missing(weights) && missing(na.action))
  with_call(kos_fit(input, s), "kos", call)
}

kos_settings <- function(s) {
  s$type <- check_choice(s$type, c("auto", "classification"), "type")
  s$device <- check_device(s$device)
  given <- setdiff(names(s), c("gamma", if (is.null(s$folds)) "folds"))
  check_values(s[intersect(given, names(vocabulary))])
  if (!is_gamma(s$gamma) || !is_one_gamma(s$gamma)) {
    abort_arg("gamma", s$gamma, paste("one positive number (from 1e-100 to 1e100), a gamma_dmm()",
                                      'object, "dmm" or "median"'))
  }
  refuse_idle(s, idle_in_kos(s), kos.default)
  s["threads"] <- resolve_threads(s$threads)
  s["memory"] <- resolve_memory(s$memory)
  s
}
