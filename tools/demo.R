# The 20 000 letters of mlbench: vpsvm() beside e1071 and randomForest, all with their defaults.
# Usage: Rscript demo.R PICTURE

picture <- commandArgs(trailingOnly = TRUE)[1]
data(LetterRecognition, package = "mlbench")
train <- LetterRecognition[1:16000, ]
test <- LetterRecognition[16001:20000, ]

methods <- list(
  "flexkern::vpsvm" = flexkern::vpsvm,
  "e1071::svm" = e1071::svm,
  "randomForest::randomForest" = randomForest::randomForest
)

run <- function(name) {
  message("Fitting ", name, " ...")
  set.seed(1)
  fit_time <- system.time(fit <- methods[[name]](lettr ~ ., data = train))
  predict_time <- system.time(predicted <- predict(fit, test))
  list(fit = fit_time[["elapsed"]], predict = predict_time[["elapsed"]],
       wrong = predicted != test$lettr)
}

show_table <- function(results) {
  cat("\n16 000 letters to learn from, 4 000 to test, 26 classes, defaults everywhere\n\n")
  cat(sprintf("%-28s %10s %9s %13s\n", "", "test error", "fit [s]", "predict [s]"))
  for (name in names(results)) {
    r <- results[[name]]
    cat(sprintf("%-28s %8.2f %% %9.1f %13.1f\n", name, 100 * mean(r$wrong), r$fit, r$predict))
  }
}

draw <- function(results) {
  errors <- sapply(results, function(r) 100 * tapply(r$wrong, test$lettr, mean))
  colors <- c("#0072B2", "#D55E00", "#009E73")
  letter_order <- order(rowMeans(errors))
  png(picture, width = 1600, height = 1000, res = 150, type = "cairo")
  par(mar = c(3, 4.5, 3, 1), mgp = c(2.8, 0.8, 0), las = 1)
  matplot(errors[letter_order, ], type = "b", lty = 1, lwd = 1.5, pch = 15:17, col = colors,
          xaxt = "n", xlab = "", ylab = "test error [%]",
          main = "Letters read wrongly, from the easiest letter to the hardest")
  axis(1, seq_along(letter_order), rownames(errors)[letter_order])
  grid(nx = NA, ny = NULL)
  legend("topleft", sprintf("%s, %.2f %% of all", names(results),
                            sapply(results, function(r) 100 * mean(r$wrong))),
         lty = 1, lwd = 1.5, pch = 15:17, col = colors, bty = "n")
  invisible(dev.off())
  cat("\nPicture: ", picture, "\n", sep = "")
}

results <- sapply(names(methods), run, simplify = FALSE)
show_table(results)
draw(results)
