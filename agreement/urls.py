from django.urls import path

from agreement import practice_views, views

urlpatterns = [
    path("c/<slug:slug>/agreement/", views.agreement, name="agreement"),
    path("c/<slug:slug>/agreement/compute/", views.compute, name="compute-agreement"),
    path("c/<slug:slug>/practice/", practice_views.practices, name="practices"),
    path("c/<slug:slug>/practice/add/", practice_views.add_practice, name="add-practice"),
    path("c/<slug:slug>/practice/<int:pk>/", practice_views.practice, name="practice"),
    path("c/<slug:slug>/practice/<int:pk>/close/", practice_views.close, name="close-practice"),
    path("c/<slug:slug>/practice/<int:pk>/answers/", practice_views.own_training, name="own-training"),
]
