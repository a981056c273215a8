# Kernel basis pursuit: steps of the path of the lasso by kbp() and, where they are installed, by
# lars::lars() and glmnet::glmnet(), on one thread: n points, Gaussian kernels of six bandwidths
# centered at each, so 6 n sources. glmnet's path is cut where it reaches the number of active
# sources that kbp() has after the last number of steps.
#
#   Rscript bench/bench-kbp.R [n=1000] [steps=100,300] [reps=3] [large=5000] [who=kbp,lars,glmnet]
#
# The large dictionary is followed by kbp() alone; the peak memory is the process's, R included.
source("bench/common.R")

a <- arguments(n = 1000, steps = c(100, 300), reps = 3, large = 5000,
               who = c("kbp", "lars", "glmnet"))
a$who <- Filter(function(who) who == "kbp" || installed(who), a$who)
widths <- 0.5 * 2^-(0:5)

draw <- function(n) {
  set.seed(1)
  x <- stats::runif(n, 0, 2)
  list(x = x, y = cos(exp(2.4 * x)) + stats::rnorm(n, sd = 0.4))
}

pursue <- function(d, steps, ...) {
  flexkern::kbp(cbind(d$x), d$y, bandwidths = widths, scale = FALSE, stop = "none",
                max.steps = steps, threads = 1, verbose = FALSE, ...)
}

dictionary <- function(d) {
  scale(do.call(cbind, lapply(widths, function(s) exp(-outer(d$x, d$x, "-")^2 / (2 * s^2)))))
}

cpu <- function(code) sum(system.time(code)[c("user.self", "sys.self")])

# Seconds of every contestant, the dictionary included.
one_run <- function(d, steps, active) {
  seconds <- c(kbp = cpu(pursue(d, steps)))
  if ("lars" %in% a$who) {
    seconds["lars"] <- cpu(lars::lars(dictionary(d), d$y, type = "lasso", normalize = FALSE,
                                      use.Gram = FALSE, max.steps = steps))
  }
  if ("glmnet" %in% a$who) {
    seconds["glmnet"] <- cpu(glmnet::glmnet(dictionary(d), d$y, standardize = FALSE,
                                            dfmax = active))
  }
  seconds
}

d <- draw(a$n)
rows <- lapply(a$steps, function(steps) {
  points <- pursue(d, steps)$path[[1]]$points
  active <- max(points$df)
  seconds <- apply(rbind(replicate(a$reps, one_run(d, steps, active))), 1, stats::median)
  if (is.null(names(seconds))) names(seconds) <- "kbp"
  data.frame(steps = steps, active = active, method = names(seconds),
             "cpu [s]" = decimals(seconds, 2), ratio = decimals(seconds / seconds[["kbp"]], 1),
             check.names = FALSE)
})
cat("\nPath over ", a$n, " x ", 6 * a$n, ", one thread, medians of ", a$reps, " runs; ratio: ",
    "times kbp()'s.\n", sep = "")
markdown(do.call(rbind, rows))

peak <- function() {
  line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1e6
}

# In a process of its own, so that its peak memory is its own.
if (a$large > 0 && file.exists("/proc/self/status")) {
  for (memory in c(8e8, 2e8)) {
    code <- c(
      paste("draw <-", paste(deparse(draw), collapse = "\n")),
      paste("pursue <-", paste(deparse(pursue), collapse = "\n")),
      paste("peak <-", paste(deparse(peak), collapse = "\n")),
      "widths <- 0.5 * 2^-(0:5)", paste0("d <- draw(", a$large, ")"),
      paste0("t <- system.time(fit <- pursue(d, 100, memory = ", memory, "))"),
      "cat(sum(t[1:2]), peak(), fit$stored, fit$size)"
    )
    script <- tempfile(fileext = ".R")
    writeLines(code, script)
    said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script), stdout = TRUE,
                    env = paste0("R_LIBS=", paste(.libPaths(), collapse = ":")))
    said <- strsplit(said[length(said)], " ")[[1]]
    cat("\n", said[4], " sources of ", a$large, " rows, 100 steps, memory = ", memory, ": ",
        decimals(as.numeric(said[1]), 1), " s cpu, peak ", decimals(as.numeric(said[2]), 2),
        " GB, dictionary ", if (said[3] == "TRUE") "stored" else "by tiles", "\n", sep = "")
  }
}
