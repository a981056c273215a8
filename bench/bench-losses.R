# Searches under other losses than the squared one. Hinge: the first against the second half of the
# alphabet, the same 10 x 10 grid and five folds by vpsvm() and, where it is installed, liquidSVM's
# svm() with the same number of threads, and up to `tune.rows` rows by e1071::tune() of svm(), which
# has one thread. Pinball: three levels beside one on the steps of bench-liquidsvm.R. A time is the
# median over the repetitions, the methods taking turns.
#
#   Rscript bench/bench-losses.R [n=2500,5000] [reps=3] [threads=2] [tune.rows=2500]
source("bench/common.R")

a <- arguments(n = c(2500, 5000), reps = 3, threads = default_threads(), tune.rows = 2500)

run_vpsvm <- function(d, grid, seed) {
  flexkern::vpsvm(d$x, factor(d$y), loss = "hinge", partition = "none", scale = "none",
                  gamma = 1 / grid$width^2, lambda = grid$lambda, seed = seed,
                  threads = a$threads, verbose = FALSE)
}

run_full <- function(d, grid, seed) {
  flexkern::vpsvm(d$x, factor(d$y), loss = "hinge", partition = "none", scale = "none",
                  gamma = 1 / grid$width^2, lambda = grid$lambda, seed = seed, search = "full",
                  threads = a$threads, verbose = FALSE)
}

# Draws its folds from R's stream.
run_liquidsvm <- function(d, grid, seed) {
  set.seed(seed)
  liquidSVM::svm(as.data.frame(d$x), factor(d$y), threads = a$threads, folds = 5,
                 mc_type = "AvA_hinge", partition_choice = 0, useCells = FALSE,
                 gammas = grid$width, lambdas = grid$lambda)
}

run_tune <- function(d, grid, seed) {
  set.seed(seed)
  e1071::tune(e1071::svm, d$x, factor(d$y), scale = FALSE,
              ranges = list(gamma = 1 / grid$width^2, cost = 1 / (2 * grid$lambda * nrow(d$x))),
              tunecontrol = e1071::tune.control(cross = 5))$best.model
}

contestants <- list(vpsvm = run_vpsvm, full = run_full)
if (installed("liquidSVM")) contestants$liquidSVM <- run_liquidsvm
if (installed("e1071")) contestants$tune <- run_tune

one_run <- function(name, d, rep) {
  gc(FALSE)
  unbind()
  seconds <- elapsed(fit <- contestants[[name]](d, default_grid(d$x), rep))
  test <- if (name == "liquidSVM") as.data.frame(d$test_x) else d$test_x
  label <- as.character(stats::predict(fit, test))
  unbind()
  message("n = ", nrow(d$x), ", repetition ", rep, ", ", name, ": ", seconds, " s")
  data.frame(who = name, seconds, error = mean(as.numeric(label) != d$test_y))
}

hinge_row <- function(n) {
  d <- half_alphabet(n, 1)
  who <- if (n <= a$tune.rows) names(contestants) else setdiff(names(contestants), "tune")
  runs <- NULL
  for (rep in seq_len(a$reps)) for (name in who) runs <- rbind(runs, one_run(name, d, rep))
  seconds <- tapply(runs$seconds, runs$who, stats::median)
  error <- 100 * tapply(runs$error, runs$who, mean)
  ratio <- function(name) decimals(unname(seconds[name] / seconds["vpsvm"]), 1)
  data.frame(n = n, "vpsvm [s]" = decimals(seconds[["vpsvm"]], 2),
             "full" = decimals(seconds[["full"]], 2),
             "liquidSVM" = decimals(unname(seconds["liquidSVM"]), 2), ratio = ratio("liquidSVM"),
             "tune" = decimals(unname(seconds["tune"]), 1), ratio = ratio("tune"),
             "error % vpsvm" = decimals(error[["vpsvm"]], 2),
             "liquidSVM" = decimals(unname(error["liquidSVM"]), 2),
             "tune" = decimals(unname(error["tune"]), 2), check.names = FALSE)
}

quantile_row <- function(n) {
  d <- step_data(n, 1)
  fit <- function(tau, rep) {
    elapsed(flexkern::vpsvm(d$x, d$y, loss = "pinball", tau = tau, partition = "none", seed = rep,
                            threads = a$threads, verbose = FALSE))
  }
  seconds <- vapply(seq_len(a$reps), function(rep) {
    c(fit(0.5, rep), fit(c(0.1, 0.5, 0.9), rep))
  }, numeric(2))
  seconds <- apply(seconds, 1, stats::median)
  data.frame(n = n, "tau = 0.5 [s]" = decimals(seconds[1], 2),
             "0.1, 0.5, 0.9" = decimals(seconds[2], 2),
             ratio = decimals(seconds[2] / seconds[1], 2), check.names = FALSE)
}

hinge <- do.call(rbind, lapply(a$n, hinge_row))
cat("\nHinge, ", a$threads, " threads (tune: one), medians of ", a$reps, "\n", sep = "")
markdown(hinge)
cat("Three quantiles beside one\n")
markdown(do.call(rbind, lapply(a$n, quantile_row)))
