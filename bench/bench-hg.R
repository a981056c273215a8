# Hierarchical Gaussian kernels: seconds of learning the weights of one architecture, and how they
# split, for the paper's annealing (`preset = "paper"`) and the other optimizers; then the whole
# protocol: seven architectures, five folds.
#
#   Rscript bench/bench-hg.R [n=5600] [d=20] [nodes=8] [threads=2] [preset=paper,fast]
#                            [optimizer=anneal,adam,lbfgs] [whole=adam] [test=4000] [program=FILE]
#
# `share` is what the exponentials and matrix products of the annealing steps (other optimizers: of
# the gradients) would take at the rates of the micro-kernels alone, on as many threads, as a share
# of what these steps took. The rates are those of core_bench, the program of cpp/bench, which is
# built unless `program` names it. whole= (nothing) leaves the protocol out; the paper took 81
# minutes for it on a GeForce GTX 980.
source("bench/common.R")

a <- arguments(n = 5600, d = 20, nodes = 8, threads = default_threads(),
               preset = c("paper", "fast"), optimizer = c("anneal", "adam", "lbfgs"),
               whole = "adam", test = 4000, program = "")
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

# Products in operations and exponentials in values a second, of one core. The best instruction set
# comes first.
core_rates <- function(program) {
  rate <- function(what, counter) {
    if (is.null(program)) return(NA)
    lines <- system2(program, c(shQuote(paste0("--benchmark_filter=^", what, "_f32/")),
                                "--benchmark_format=csv"), stdout = TRUE, stderr = FALSE)
    utils::read.csv(text = lines[cumsum(startsWith(lines, "name,")) > 0])[1, counter]
  }
  c(flops = rate("gemm", "flops"), exps = rate("exp", "values"))
}

# Seconds that exponentials and products (in operations) take at these rates.
ideal <- function(exps, flops) (exps / rates[["exps"]] + flops / rates[["flops"]]) / a$threads

# A proposal takes an exponential and an operation with the coefficient of every pair; one more
# where the weight is a column's and the kernel has two layers, and again if it is accepted.
ideal_annealing <- function(record, kernel, train, held) {
  leaves <- if (kernel$depth == 1) 0 else 1 - length(kernel$weights) / kernel$size
  pairs <- train * held
  ideal(pairs * (record$proposals * (1 + leaves) + record$accepted * leaves),
        pairs * record$proposals * 2)
}

# A gradient takes the distances of all nodes of the first layer, their exponentials and those of
# the top, the factors of each pair and the sums by columns; its pairs are those of the rows that
# train with these and the others.
ideal_gradients <- function(record, kernel, optimizer, train, held) {
  looks <- nrow(record$trace)
  count <- if (optimizer == "adam") record$proposals - looks else looks
  rows <- if (optimizer == "adam") min(500, train + held) else train + held
  pairs <- rows * if (optimizer == "adam") 2 * rows / 3 else train
  nodes <- if (kernel$depth == 1) 1 else length(kernel$nodes)
  columns <- kernel$size - if (kernel$depth == 1) 0 else nodes
  ideal(count * pairs * (nodes + (nodes > 1)),
        count * pairs * (2 * (columns + 2 * nodes) + 4 + 2 * (nodes + 2 * columns)))
}

share <- function(fit, kernel, optimizer) {
  record <- fit$learning[[1]]
  train <- floor(4 * fit$learn.rows / 9)
  held <- floor(2 * fit$learn.rows / 9)
  if (optimizer == "anneal") {
    return(ideal_annealing(record, kernel, train, held) / record$seconds[["anneal"]])
  }
  ideal_gradients(record, kernel, optimizer, train, held) / record$seconds[["descent"]]
}

row <- function(what, optimizer, preset, ...) {
  total <- elapsed(fit <- flexkern::hgsvm(train$x, train$y, optimizer = optimizer,
                                          preset = preset, seed = 1, ...))
  parts <- Reduce(`+`, lapply(fit$learning, `[[`, "seconds"))
  single <- nrow(fit$architectures) == 1
  data.frame(
    what = what, optimizer = optimizer, preset = preset, "total [s]" = decimals(total, 1),
    "anneal [s]" = decimals(if (optimizer == "anneal") parts[["anneal"]] else NA, 1),
    "descent [s]" = decimals(parts[["descent"]], 1), "solve [s]" = decimals(parts[["solve"]], 1),
    "machine [s]" = decimals(total - sum(parts), 1),
    share = decimals(if (single) share(fit, one, optimizer) else NA, 2),
    error = decimals(error(fit), 5), check.names = FALSE
  )
}

rates <- core_rates(core_program("core_bench", a$program))
plain <- flexkern::vpsvm(train$x, train$y, partition = "none", seed = 1)
cat("\nn = ", a$n, ", d = ", a$d, ", ", a$nodes, " nodes, threads ", a$threads, "; a core: ",
    decimals(rates[["exps"]] / 1e9, 2), "e9 exponentials and ",
    decimals(rates[["flops"]] / 1e9, 1), "e9 operations a second; error of vpsvm(): ",
    decimals(error(plain), 5), "\n", sep = "")
one <- flexkern::hg_random(a$d, a$nodes, 1, seed = 1)
rows <- list()
for (optimizer in a$optimizer) for (preset in a$preset) {
  rows <- c(rows, list(row("one architecture", optimizer, preset, architectures = one)))
}
for (optimizer in a$whole[nzchar(a$whole)]) {
  rows <- c(rows, list(row("whole protocol", optimizer, "fast")))
}
markdown(do.call(rbind, rows))
