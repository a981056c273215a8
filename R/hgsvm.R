#' Support vector machines with a learned hierarchical Gaussian kernel
#'
#' Learns the weights of hierarchical Gaussian kernels (Steinwart, Thomann and Schmid; see
#' [hg_kernel()]), one for each column and node, chooses among several architectures by
#' cross-validation over all that a fit does, and fits a support vector machine with that kernel as
#' [vpsvm()] does.
#'
#' The rows are parted at random 4:2:3. A machine trained on the first part is scored on the second
#' as a function of the weights; the third part says which weights are kept. `optimizer` says how
#' the score is minimised:
#' * `"anneal"`: the paper's Algorithm 1. In each of `rounds` rounds the penalty and width are
#'   chosen on a grid; then come `cycles` cycles of simulated annealing (`anneal` steps in the
#'   first and the other cycles), at most `descent` steps of gradient descent with Armijo's rule,
#'   and a new solution of the machine. An annealing step multiplies one random weight by a random
#'   factor in \eqn{[1 - s, 1 + s]}{[1 - s, 1 + s]} with \eqn{s} = `spread` and accepts an increase
#'   \eqn{\Delta} of the risk with probability \eqn{\exp(-\Delta / T)}{exp(-Delta / T)}, where
#'   \eqn{T} falls to 0. After a round all weights are multiplied by such factors, or start anew
#'   with `restart = "init"`.
#' * `"lbfgs"`: the machine is differentiated through: its coefficients follow the weights
#'   (implicit function theorem), so that the gradient is that of training and validation together.
#'   L-BFGS in the logarithms of all weights and of \eqn{\lambda n}, at most `steps` steps from
#'   each of `rounds` starts, which ends early where the error on the third part has not fallen by
#'   a thousandth for `patience` steps. For least squares.
#' * `"adam"`: the same gradient on random samples of `batch` rows, with step length `rate`, which
#'   falls to a tenth; looks at the third part every 25 steps, and ends after `patience` looks
#'   without progress.
#' * `"auto"`: `"adam"` for least squares and `"anneal"` for other losses and the preset `"paper"`.
#'
#' `preset = "fast"` stands for 2 rounds of 3 cycles with 200 and 100 annealing steps,
#' `preset = "paper"` for the paper's 10 rounds of 15 cycles with 1000 and 500, both with 10 steps
#' of descent; with the other optimizers, which `"paper"` has to be asked for, for 1 and 3 starts.
#' What is given beside it goes first.
#'
#' The annealing temperature, the factors, the order of the loops and the six architectures are not
#' in the paper; those here are ours. So are `"lbfgs"` and `"adam"`.
#'
#' After learning, penalty and a width \eqn{\gamma} that multiplies the squared distance are chosen
#' by cross-validation with the learned kernel, on all rows and for each cell if there is a
#' partition, and the fold models are averaged. As the weights have seen all rows, the risks of this
#' search (`grid` and `cv.risk` of the fit) are too low; `cv.error` is not of it, see Choice.
#'
#' What is given as `gamma`, `lambda` or `cost` holds for learning, too: it starts at one of these
#' widths, beside which the learned weights stand, and the penalty stays between the least and the
#' largest (counted per row of the part that trains), so that one number fixes it.
#'
#' @section Choice:
#' All rows are dealt into `folds` outer folds. Without the rows of a fold, weights are learned and
#' a machine is fitted in the same way as on all rows, and these rows are predicted: no weight, no
#' penalty and no width has seen them. Architectures race: after each fold the better half of the
#' learned ones goes on. The kernels that one begins with are candidates as well: of the default
#' architectures the Gaussian kernel with all weights 1, else every kernel that was given. The least
#' risk on the held-out rows is chosen, and its weights are learned anew on all rows. `cv.error`,
#' the probabilities, and the intervals of [predict.vpsvm()] come from the held-out rows. With many
#' rows only as many folds are made as hold 1000 of them. Below 9 rows there is no choice.
#'
#' Neither the order of the columns, nor their names, nor the order of the classes, nor shift, scale
#' and sign of a numeric response change what is learned.
#'
#' @section Architectures:
#' `NULL` tries [hg_inhomogeneous()] and [hg_random()] with 4, 8 and 16 nodes of saturation 1 and 2,
#' as far as the columns allow: with fewer places for columns than nodes there are fewer nodes, and
#' those that come out twice are tried once. Constant columns take no part in them.
#' `"inhomogeneous"` is the first of these alone: one weight for each column, and much faster.
#' An [hg_kernel()] or a list of such objects is tried instead; their weights are where learning
#' starts, and those of constant columns become 0.
#'
#' @section Many rows:
#' At most `learn.rows` rows, a stratified sample, learn the weights. The machine is then fitted on
#' all rows by [vpsvm()], with the partition that it would use.
#'
#' @inheritParams vpsvm
#' @param architectures `NULL`, `"inhomogeneous"`, an [hg_kernel()] object or a list of these; see
#'   Architectures.
#' @param optimizer How the weights are learned, see Details.
#' @param preset `"fast"` or `"paper"`: where the numbers come from that are not given.
#' @param rounds,cycles,anneal,descent Numbers of rounds (or starts), cycles, annealing steps in the
#'   first and in the other cycles, and gradient steps.
#' @param spread Half the width of the random factors.
#' @param temperature The annealing temperature at the start; `NULL` for the median change of the
#'   risk in 20 random steps.
#' @param restart `"perturb"` or `"init"`: how a new round starts.
#' @param steps,patience,batch,rate Of the descents `"lbfgs"` and `"adam"`, see Details; `NULL` for
#'   50 steps with a patience of 10, and 400 with one of 4.
#' @param learn.rows Largest number of rows that learn the weights.
#' @param loss,tau,epsilon As in [vpsvm()].
#' @param gamma Positive numbers to choose from as factor of the squared distance; `NULL` for ten
#'   from 0.1 to 10 (without learning those of [vpsvm()]).
#' @param lambda,cost As in [vpsvm()]; see Details.
#' @param folds Number of outer folds (at least 2), see Choice, and of those within them and on all
#'   rows that choose penalty and width, where there is a choice.
#' @param probability `TRUE` to calibrate class probabilities, as in [vpsvm()].
#' @return A list of class `hgsvm` that is also a `vpsvm` (see there), with
#'   \item{hierarchy}{the learned [hg_kernel()], on the columns of the design (a factor has one per
#'     level) as `scale` left them; [vpsvm()], [kbp()] and [rmekl()] take it as their kernel for
#'     data with the same columns}
#'   \item{architectures}{a data frame, one row a candidate: `name`, `depth`, `nodes` of the first
#'     layer, `weights`, whether they were `learned`, `error` on the third part, `cv.risk`, the mean
#'     loss on the held-out rows on the scale of \eqn{[-1, 1]} (`NA` where the race was lost), and
#'     the `chosen` one}
#'   \item{learning}{a list for each candidate: `weights`, `error`, the record `trace` (a data
#'     frame with `round`, `step` and the risks `validation` and `test` on the second and third
#'     part), the line `chosen`, the width `gamma` that its round began with, `shift`, the penalty
#'     times the rows that trained, `proposals` made and `accepted`, `seconds`; of the chosen one on
#'     all rows, of the others without the first fold}
#'   \item{cv.error}{the error on the held-out rows, see Choice}
#'   \item{optimizer, learn.rows}{what was used, and on how many rows}
#' @references Steinwart, I., Thomann, P. and Schmid, N. (2016) Learning with hierarchical Gaussian
#'   kernels. arXiv:1612.00824, Algorithm 1.
#' @seealso [hg_kernel()], [vpsvm()], [predict.vpsvm()]
#' @examples
#' d <- data.frame(matrix(runif(1200, -1, 1), 200))
#' d$y <- sin(3 * d$X1) * cos(2 * d$X2)
#' fit <- hgsvm(y ~ ., d, architectures = "inhomogeneous", steps = 100, seed = 1)
#' fit
#' round(coef(fit), 2)
#' @export
hgsvm <- function(x, ...) UseMethod("hgsvm")

#' @rdname hgsvm
#' @export
hgsvm.formula <- function(formula, data = NULL, ..., subset, weights,
                          na.action = stats::na.fail) {
  fit_formula("hgsvm", hgsvm.default, match.call(), environment(), list(...))
}

#' @rdname hgsvm
#' @export
hgsvm.default <- function(x, y, architectures = NULL,
                          optimizer = c("auto", "anneal", "lbfgs", "adam"),
                          preset = c("fast", "paper"), rounds = NULL, cycles = NULL, anneal = NULL,
                          descent = NULL, spread = 0.5, temperature = NULL,
                          restart = c("perturb", "init"), steps = NULL, patience = NULL,
                          batch = 500, rate = 0.1, learn.rows = 6000,
                          loss = c("auto", "least.squares", "hinge", "pinball", "expectile",
                                   "epsilon"),
                          tau = NULL, epsilon = 0.1, offset = c("auto", "none", "constant"),
                          gamma = NULL, lambda = NULL, cost = NULL,
                          folds = 5, partition = c("auto", "voronoi", "random", "none"),
                          radius = NULL, cells = NULL, max.cell = NULL, overlap = NULL,
                          final = c("auto", "average", "refit"), clip = "auto", scale = "range",
                          weights = NULL, class.weights = NULL, probability = FALSE,
                          type = c("auto", "classification", "regression"), tol = 1e-6,
                          max.iter = 1000, threads = NULL, memory = NULL,
                          device = c("auto", "cpu", "cuda"),
                          verbose = getOption("flexkern.verbose", interactive()), seed = NULL,
                          na.action = stats::na.fail, ...) {
  call <- match.call()
  check_fit_call("hgsvm", hgsvm.default, missing(x), list(...))
  own <- setdiff(names(formals(hgsvm.default)), c("x", "y", "weights", "na.action", "..."))
  s <- hgsvm_settings(with_given(mget(own, environment()), call), !missing(folds))
  input <- fit_input(x, y, weights, na.action, missing(weights) && missing(na.action))
  with_call(hgsvm_fit(input, s), "hgsvm", call)
}

#' @rdname hgsvm
#' @param object A model made by `hgsvm()`.
#' @method coef hgsvm
#' @export
coef.hgsvm <- function(object, ...) {
  check_dots(list(...), "object", "coef")
  check_sound(object)
  weights <- all_weights(object$hierarchy)
  names(weights) <- weight_names(object$hierarchy, object$blueprint$names)
  weights
}

# "2.age" is the weight of the column age in the second node, "2" that of the node itself.
weight_names <- function(node, columns, at = "") {
  if (is_leaf(node)) return(paste0(at, columns[node$columns]))
  numbers <- as.character(seq_along(node$nodes))
  below <- Map(function(child, i) weight_names(child, columns, paste0(at, i, ".")), node$nodes,
               numbers)
  c(unlist(below), paste0(at, numbers))
}
