# Hierarchical Gaussian kernels: seconds of learning the weights of one architecture, and how they
# split, for the paper's annealing (`preset = "paper"`) and the other optimizers; then the whole
# protocol: seven architectures, five folds.
#
#   Rscript bench/bench-hg.R [n=5600] [d=20] [nodes=8] [threads=2] [preset=paper,fast]
#                            [optimizer=anneal,adam,lbfgs] [whole=adam] [test=4000]
#
# `share` is the rate of the annealing proposals as a share of the machine's vector exponential: a
# proposal changes one weight, which takes one exponential (a node's weight) or two (a column's) of
# every pair of the first and second part. whole= (nothing) leaves the protocol out; the paper took
# 81 minutes for it on a GeForce GTX 980.
source("bench/common.R")

a <- arguments(n = 5600, d = 20, nodes = 8, threads = default_threads(),
               preset = c("paper", "fast"), optimizer = c("anneal", "adam", "lbfgs"),
               whole = "adam", test = 4000)
options(flexkern.threads = a$threads, flexkern.verbose = FALSE)

draw <- function(n, seed) {
  set.seed(seed)
  x <- matrix(stats::runif(n * a$d, -1, 1), n)
  f <- sin(3 * x[, 1]) * cos(2 * x[, 2]) + exp(-2 * rowSums(x[, 3:5]^2))
  list(x = x, y = f + 0.1 * stats::rnorm(n), f = f)
}

train <- draw(a$n, 1)
test <- draw(a$test, 2)
error <- function(fit) mean((stats::predict(fit, test$x) - test$f)^2)

# Exponentials a second: all pairs of two sets of rows under a kernel of one column.
exp_rate <- function() {
  x <- train$x[seq_len(min(a$n, 4000)), 1, drop = FALSE]
  kernel <- flexkern::hg_inhomogeneous(1)
  seconds <- min(replicate(3, elapsed(flexkern::hg_gram(kernel, x))))
  nrow(x)^2 / seconds
}

row <- function(what, optimizer, preset, ...) {
  total <- elapsed(fit <- flexkern::hgsvm(train$x, train$y, optimizer = optimizer,
                                          preset = preset, seed = 1, ...))
  parts <- Reduce(`+`, lapply(fit$learning, `[[`, "seconds"))
  proposals <- sum(vapply(fit$learning, `[[`, 0, "proposals"))
  pairs <- floor(4 * a$n / 9) * floor(2 * a$n / 9)
  rate <- proposals * pairs / parts[["anneal"]]
  annealed <- optimizer == "anneal"
  data.frame(
    what = what, optimizer = optimizer, preset = preset, "total [s]" = decimals(total, 1),
    "anneal [s]" = decimals(if (annealed) parts[["anneal"]] else NA, 1),
    "descent [s]" = decimals(parts[["descent"]], 1), "solve [s]" = decimals(parts[["solve"]], 1),
    "machine [s]" = decimals(total - sum(parts), 1),
    "pairs/s [1e9]" = decimals(if (annealed) rate / 1e9 else NA, 2),
    share = decimals(if (annealed) rate / exps else NA, 2), error = decimals(error(fit), 5),
    check.names = FALSE
  )
}

exps <- exp_rate()
plain <- flexkern::vpsvm(train$x, train$y, partition = "none", seed = 1)
cat("\nn = ", a$n, ", d = ", a$d, ", ", a$nodes, " nodes, threads ", a$threads, "; vector exp ",
    decimals(exps / 1e9, 2), "e9 a second; error of vpsvm(): ", decimals(error(plain), 5), "\n",
    sep = "")
one <- flexkern::hg_random(a$d, a$nodes, 1, seed = 1)
rows <- list()
for (optimizer in a$optimizer) for (preset in a$preset) {
  rows <- c(rows, list(row("one architecture", optimizer, preset, architectures = one)))
}
for (optimizer in a$whole[nzchar(a$whole)]) {
  rows <- c(rows, list(row("whole protocol", optimizer, "fast")))
}
markdown(do.call(rbind, rows))
